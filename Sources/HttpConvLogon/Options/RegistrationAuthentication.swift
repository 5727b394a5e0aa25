/// The login at registration, if the server's address does not imply it.
public struct RegistrationAuthentication: Hashable, Sendable, Codable {
    /// The kinds of login, in the order in which they are tried, such as `saml2.web.redirect` or `oauth2`.
    public var types: [String] = []
    /// The path or URL at which a SAML2 login ends; nil: `SAMLAuthLauncher` below the server's root. The root has a
    /// path behind a relay server or a reverse proxy. A path that begins with a slash begins at the host.
    public var saml2FinishEndpoint: String?
    /// The parameter of that URL.
    public var saml2FinishParameter: String?
    /// The path or URL of OAuth2's authorization endpoint; nil: `oauth2/api/v1/authorize` below the server's root.
    public var oauth2AuthorizationEndpoint: String?
    /// The path or URL of OAuth2's token endpoint; nil: `oauth2/api/v1/token` below the server's root.
    public var oauth2TokenEndpoint: String?
    /// The client's id at the OAuth2 server.
    public var oauth2ClientID: String?
    /// The scopes, separated by spaces.
    public var oauth2Scopes: String?
    /// The redirect URI of OAuth2; nil: the server's own address.
    public var oauth2RedirectURI: String?
    /// Further servers that may get user name and password, by their URLs, such as an identity provider's. Only the
    /// program can set this, not a file.
    public var answerOrigins: [String] = []

    /// An empty configuration: the server's challenge decides.
    public init() {}
}
