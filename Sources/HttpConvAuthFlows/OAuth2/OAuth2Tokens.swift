public import Foundation
import HTTPTypes
public import HttpConversation

/// An authorization server's tokens: an access token and accompanying data (RFC 6749 §5.1). Never printed.
public struct OAuth2Tokens: Hashable, Sendable {
    /// How tokens were obtained.
    public enum Source: String, Hashable, Sendable, Codable {
        /// By a grant: a login, a password, the client's own secret.
        case grant
        /// By a refresh token.
        case refresh
    }

    /// The token for `Authorization: Bearer`, or `DPoP` if it is bound to ``dpopKey``.
    public let accessToken: Redacted<String>
    /// The token for the next refresh, if the server gave one.
    public let refreshToken: Redacted<String>?
    /// The ID token of OpenID Connect, as it was sent.
    public let idToken: Redacted<String>?
    /// The granted scopes; nil if the server did not name them, which means the requested ones.
    public let scopes: [String]?
    /// The expiry of the access token, by the clock of this machine; nil if the server did not give it.
    public let expiresAt: Date?
    /// The time when the tokens arrived, by the clock of this machine.
    public let receivedAt: Date
    /// How the tokens were obtained.
    public let source: Source
    /// The certificate that the access token is bound to, as `x5t#S256` (RFC 8705 §3.1): with another certificate the
    /// token is refused. Nil if it is not bound, or the server did not say.
    public let certificateThumbprint: String?
    /// The key that the access token, and a public client's refresh token, are bound to (RFC 9449): with another key, or as
    /// a bearer token, it is refused, and never sent. Nil if it is not bound.
    public let dpopKey: DPoPKey?
    /// The kind of login that a server demanded, and that led to these tokens (RFC 9470).
    public let demand: OAuth2AuthenticationDemand?
    /// The field that carries the access token (RFC 6750 §2.1); built once, and sent with each request.
    let authorization: Redacted<HTTPField>

    /// Creates tokens.
    public init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil, scopes: [String]? = nil,
        expiresAt: Date? = nil, receivedAt: Date = Date(), source: Source = .grant,
        certificateThumbprint: String? = nil, dpopKey: DPoPKey? = nil, demand: OAuth2AuthenticationDemand? = nil
    ) {
        self.accessToken = Redacted(accessToken)
        self.refreshToken = refreshToken.map { Redacted($0) }
        self.idToken = idToken.map { Redacted($0) }
        self.scopes = scopes
        self.expiresAt = expiresAt
        self.receivedAt = receivedAt
        self.source = source
        self.certificateThumbprint = certificateThumbprint
        self.dpopKey = dpopKey
        self.demand = demand
        let scheme = dpopKey == nil ? "Bearer" : "DPoP"
        authorization = Redacted(HTTPField(name: .authorization, value: "\(scheme) \(accessToken)"))
    }

    /// Whether the access token should be renewed before it is sent: it expires within `skew`.
    ///
    /// A token with a lifetime shorter than five times the skew is renewed in the last fifth of its life.
    public func needsRenewal(at now: Date, skew: Duration) -> Bool {
        guard let expiresAt else { return false }
        let ahead = min(skew / .seconds(1), expiresAt.timeIntervalSince(receivedAt) / 5)
        return now.addingTimeInterval(ahead) >= expiresAt
    }

    /// Whether the access token has expired.
    public func isExpired(at now: Date) -> Bool { expiresAt.map { now >= $0 } ?? false }
}

extension OAuth2Tokens: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kinds of tokens, without any token.
    public var description: String {
        let parts = ["access token", refreshToken.map { _ in "refresh token" }, idToken.map { _ in "ID token" }]
        let end = expiresAt.map { ", expires \($0)" } ?? ""
        return "OAuth2 tokens by \(source.rawValue): \(parts.compactMap { $0 }.joined(separator: ", "))\(end)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["tokens": description]) }
}

/// For storages: the encoded form contains the secrets and must be encrypted.
extension OAuth2Tokens: Codable {
    private enum CodingKeys: String, CodingKey {
        case accessToken, refreshToken, idToken, scopes, expiresAt, receivedAt, source, certificateThumbprint
        case boundAccessToken, dpopKey, demand
    }

    /// Decodes tokens from a storage.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let key = try values.decodeIfPresent(Data.self, forKey: .dpopKey).map { try DPoPKey(secret: $0) }
        self.init(
            accessToken: try values.decode(String.self, forKey: key == nil ? .accessToken : .boundAccessToken),
            refreshToken: try values.decodeIfPresent(String.self, forKey: .refreshToken),
            idToken: try values.decodeIfPresent(String.self, forKey: .idToken),
            scopes: try values.decodeIfPresent([String].self, forKey: .scopes),
            expiresAt: try values.decodeIfPresent(Date.self, forKey: .expiresAt),
            receivedAt: try values.decode(Date.self, forKey: .receivedAt),
            source: try values.decode(Source.self, forKey: .source),
            certificateThumbprint: try values.decodeIfPresent(String.self, forKey: .certificateThumbprint),
            dpopKey: key, demand: try values.decodeIfPresent(OAuth2AuthenticationDemand.self, forKey: .demand))
    }

    /// Encodes the tokens, including the secrets.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        // An older version does not find a bound token, and so cannot send it as a bearer token.
        try values.encode(accessToken.value, forKey: dpopKey == nil ? .accessToken : .boundAccessToken)
        try values.encodeIfPresent(dpopKey?.secret.value, forKey: .dpopKey)
        try values.encodeIfPresent(demand, forKey: .demand)
        try values.encodeIfPresent(refreshToken?.value, forKey: .refreshToken)
        try values.encodeIfPresent(idToken?.value, forKey: .idToken)
        try values.encodeIfPresent(scopes, forKey: .scopes)
        try values.encodeIfPresent(expiresAt, forKey: .expiresAt)
        try values.encode(receivedAt, forKey: .receivedAt)
        try values.encode(source, forKey: .source)
        try values.encodeIfPresent(certificateThumbprint, forKey: .certificateThumbprint)
    }
}
