import HTTPTypes
public import HttpConvPlatform
public import HttpConversation

/// An authorization server's tokens: an access token and accompanying data (RFC 6749 §5.1). Never printed.
public struct OAuth2Tokens: Hashable, Sendable {
    /// The way in which tokens were obtained.
    public enum Source: String, Hashable, Sendable, Codable {
        /// By a grant: a login, a password, the client's own secret.
        case grant
        /// By a refresh token.
        case refresh
    }

    private struct Parts: Hashable, Sendable {
        let accessToken: Redacted<String>
        let refreshToken: Redacted<String>?
        let idToken: Redacted<String>?
        let scopes: [String]?
        let expiresAt: Date?
        let receivedAt: Date
        let source: Source
        let certificateThumbprint: String?
        let dpopKey: DPoPKey?
        let demand: OAuth2AuthenticationDemand?
        let authorization: Redacted<HTTPField>
    }

    /// An object, because tokens are passed around before each request, and copying their texts costs more than the
    /// work with them.
    private final class Shared: Sendable {
        let parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    private let shared: Shared

    /// The token for `Authorization: Bearer`, or `DPoP` if it is bound to ``dpopKey``.
    public var accessToken: Redacted<String> { shared.parts.accessToken }
    /// The token for the next refresh, if the server gave one.
    public var refreshToken: Redacted<String>? { shared.parts.refreshToken }
    /// The ID token of OpenID Connect, as it was sent.
    public var idToken: Redacted<String>? { shared.parts.idToken }
    /// The granted scopes; nil if the server did not name them, which means the requested ones.
    public var scopes: [String]? { shared.parts.scopes }
    /// The expiry of the access token, by the clock of this machine; nil if the server did not give it.
    public var expiresAt: Date? { shared.parts.expiresAt }
    /// The time when the tokens arrived, by the clock of this machine.
    public var receivedAt: Date { shared.parts.receivedAt }
    /// The way in which the tokens were obtained.
    public var source: Source { shared.parts.source }
    /// The certificate that the access token is bound to, as `x5t#S256` (RFC 8705 §3.1): with another certificate the
    /// token is refused. Nil if it is not bound, or the server did not say.
    public var certificateThumbprint: String? { shared.parts.certificateThumbprint }
    /// The key that the access token, and a public client's refresh token, are bound to (RFC 9449): with another key,
    /// or as a bearer token, it is refused, and never sent. Nil if it is not bound.
    public var dpopKey: DPoPKey? { shared.parts.dpopKey }
    /// The kind of login that a server demanded, and that led to these tokens (RFC 9470).
    public var demand: OAuth2AuthenticationDemand? { shared.parts.demand }
    /// The field that carries the access token (RFC 6750 §2.1); built once, and sent with each request.
    var authorization: Redacted<HTTPField> { shared.parts.authorization }

    /// Creates tokens.
    public init(
        accessToken: String, refreshToken: String? = nil, idToken: String? = nil, scopes: [String]? = nil,
        expiresAt: Date? = nil, receivedAt: Date = Date(), source: Source = .grant,
        certificateThumbprint: String? = nil, dpopKey: DPoPKey? = nil, demand: OAuth2AuthenticationDemand? = nil
    ) {
        let scheme = dpopKey == nil ? "Bearer" : "DPoP"
        shared = Shared(
            Parts(
                accessToken: Redacted(accessToken), refreshToken: refreshToken.map { Redacted($0) },
                idToken: idToken.map { Redacted($0) }, scopes: scopes, expiresAt: expiresAt, receivedAt: receivedAt,
                source: source, certificateThumbprint: certificateThumbprint, dpopKey: dpopKey, demand: demand,
                authorization: Redacted(HTTPField(name: .authorization, value: "\(scheme) \(accessToken)"))))
    }

    public static func == (one: OAuth2Tokens, other: OAuth2Tokens) -> Bool {
        one.shared === other.shared || one.shared.parts == other.shared.parts
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(shared.parts) }

    /// Whether the access token should be renewed before it is sent: it expires within `skew`.
    ///
    /// A token with a lifetime shorter than five times the skew is renewed in the last fifth of its life.
    public func needsRenewal(at now: Date, skew: Duration) -> Bool {
        needsRenewal(at: now, seconds: skew / .seconds(1))
    }

    func needsRenewal(at now: Date, seconds skew: TimeInterval) -> Bool {
        guard let expiresAt else { return false }
        let ahead = min(skew, expiresAt.timeIntervalSince(receivedAt) / 5)
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
