public import HttpConversation

/// The endpoint for a person's login, and the URI for its answer (RFC 6749 §4.1). PKCE by S256 is always used.
public struct AuthorizationCodeGrant: Sendable {
    /// The authorization endpoint as text: https, loopback http, or a custom scheme that another application handles.
    public let authorizationEndpoint: String
    /// The URI to which the server redirects the person.
    public let redirectURI: OAuth2RedirectURI
    /// Whether the server always names itself in its answer (RFC 9207 §3): then an answer without `iss` is refused.
    public let requiresIssuer: Bool
    /// The endpoint that gets the parameters of the authorization request from the client itself (PAR, RFC 9126); nil:
    /// the browser carries them.
    public let pushedRequestEndpoint: TargetURL?
    /// Further parameters of the authorization request, such as `prompt`, `max_age`, `acr_values` or `login_hint`
    /// (OpenID Connect Core §3.1.2.1).
    public let parameters: [String: String]
    /// Whether the server's makers allow its login in a web view of the application, which could read it (RFC 8252
    /// §8.12).
    public let allowsWebView: Bool

    /// Checks endpoint and redirect URI.
    ///
    /// - Throws: ``OAuth2Error/Code/invalidConfiguration``, ``OAuth2Error/Code/insecureEndpoint``
    public init(
        authorizationEndpoint: some TargetURLConvertible, redirectURI: some TargetURLConvertible,
        requiresIssuer: Bool = false, pushedRequestEndpoint: (any TargetURLConvertible)? = nil,
        parameters: [String: String] = [:], allowsWebView: Bool = false
    ) throws(OAuth2Error) {
        let authorizationEndpoint = authorizationEndpoint.urlText
        let scheme = authorizationEndpoint.prefix { $0 != ":" }.lowercased()
        if scheme == "http" || scheme == "https" {
            _ = try SecureEndpoint.parse(authorizationEndpoint, "authorization endpoint")
        } else {
            // The same rules apply: absolute, visible ASCII, no fragment, no reserved scheme.
            _ = try OAuth2RedirectURI(authorizationEndpoint)
        }
        self.authorizationEndpoint = authorizationEndpoint
        self.redirectURI = try OAuth2RedirectURI(redirectURI)
        self.requiresIssuer = requiresIssuer
        self.pushedRequestEndpoint = try SecureEndpoint.parse(
            ifGiven: pushedRequestEndpoint, "endpoint for pushed requests")
        self.parameters = parameters
        self.allowsWebView = allowsWebView
        try Self.check(parameters)
    }

    static func check(_ parameters: [String: String]) throws(OAuth2Error) {
        try OAuth2Configuration.check(parameters: parameters, without: reserved)
    }

    /// The authorization endpoint if it is an http URL; nil if another application handles it.
    public var endpoint: TargetURL? { try? TargetURL(authorizationEndpoint) }

    private static let reserved: Set<String> = [
        "response_type", "client_id", "redirect_uri", "scope", "state", "nonce", "code_challenge",
        "code_challenge_method", "dpop_jkt", "request", "request_uri", "resource", "response_mode",
    ]
}
