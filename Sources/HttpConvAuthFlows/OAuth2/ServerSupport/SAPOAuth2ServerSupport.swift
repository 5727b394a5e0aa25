import HTTPTypes
import HttpConvFormats
import HttpConvPlatform
public import HttpConversation

/// Support for SAP's mobile services in the cloud: endpoints derived from the server URL, and their forms of challenge.
///
/// A server URL and a client id suffice. The initialiser also takes values that cannot be derived, such as OAuth2
/// endpoints on another host or the application's redirect URI.
public struct SAPOAuth2ServerSupport: OAuth2ServerSupport {
    public let name: String
    public let tokenOrigins: Set<Origin>
    private let server: TargetURL
    private let storage: TargetURL
    private let configuration: OAuth2Configuration
    private let isGoverned: (@Sendable (TargetURL) -> Bool)?

    /// - Parameters:
    ///   - serverURL: the service's URL; this support claims URLs at or below its path, by whole segments
    ///   - clientID: the client's id at the server
    ///   - clientSecret: nil for a public client
    ///   - scopes: the scopes to request; empty: the server's default
    ///   - redirectURI: defaults to the server URL
    ///   - authorizationEndpoint: defaults to `/oauth2/api/v1/authorize` of the server
    ///   - tokenEndpoint: defaults to `/oauth2/api/v1/token` of the server
    ///   - name: part of the storage key
    ///   - isGoverned: whether a URL below the server URL belongs to this OAuth2 client; nil: all of them do
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration``, ``OAuth2Error/Code/insecureEndpoint``
    public init(
        serverURL: some TargetURLConvertible, clientID: String, clientSecret: String? = nil, scopes: [String] = [],
        redirectURI: (any TargetURLConvertible)? = nil, authorizationEndpoint: (any TargetURLConvertible)? = nil,
        tokenEndpoint: (any TargetURLConvertible)? = nil,
        name: String = "SAPOAuth2ServerSupport", isGoverned: (@Sendable (TargetURL) -> Bool)? = nil
    ) throws(OAuth2Error) {
        server = try SecureEndpoint.parse(serverURL, "server URL")
        self.name = name
        self.isGoverned = isGoverned
        tokenOrigins = [server.origin]
        storage = (try? server.with(query: nil)) ?? server
        configuration = try OAuth2Configuration(
            clientID: clientID, authentication: clientSecret.map { .basic(secret: $0) } ?? .none,
            tokenEndpoint: tokenEndpoint?.urlText ?? Self.endpoint("token", of: server), scopes: scopes,
            grant: .authorizationCode(
                AuthorizationCodeGrant(
                    authorizationEndpoint: authorizationEndpoint?.urlText ?? Self.endpoint("authorize", of: server),
                    redirectURI: redirectURI?.urlText ?? storage.absoluteString, allowsWebView: true)))
    }

    private static func endpoint(_ name: String, of server: TargetURL) -> String {
        ((try? server.with(path: "/oauth2/api/v1/\(name)")) ?? server).absoluteString
    }

    public func isSupportedEndpoint(_ url: TargetURL) -> Bool {
        guard url.origin == server.origin, PathSpace.contains(String(server.path), url) else { return false }
        return isGoverned?(url) ?? true
    }

    /// 401 with a Bearer challenge, or 400 with `x-smp-authentication-status: 1000`.
    public func recognizesChallenge(in challenge: OAuth2Challenge) async throws -> Bool {
        Self.isChallenge(challenge)
    }

    /// Whether a response is a challenge of any server of this kind.
    public static func isChallenge(_ challenge: OAuth2Challenge) -> Bool {
        if challenge.isBearerChallenge { return true }
        guard let response = challenge.response, response.status == .badRequest else { return false }
        return response.headerFields[statusName]?.trimmingSpaces == "1000"
    }

    public func config(forChallenge challenge: OAuth2Challenge) async throws -> OAuth2Configuration { configuration }

    public func storageURL(forRequestURL url: TargetURL) -> TargetURL { storage }

    // swift-format-ignore: NeverForceUnwrap
    private static let statusName = HTTPField.Name("x-smp-authentication-status")!
}
