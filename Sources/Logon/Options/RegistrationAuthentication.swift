/// How a person logs in at registration, where the server's address alone does not say it.
public struct RegistrationAuthentication: Hashable, Sendable, Codable {
    /// The kinds of login, in the order in which they are tried, such as `saml2.web.redirect` or `oauth2`.
    public var types: [String] = []
    /// Where a SAML2 login ends: a path or URL.
    public var saml2FinishEndpoint: String?
    /// The parameter of that URL.
    public var saml2FinishParameter: String?
    /// The authorization endpoint of OAuth2.
    public var oauth2AuthorizationEndpoint: String?
    /// The token endpoint of OAuth2.
    public var oauth2TokenEndpoint: String?
    /// The client's id at the OAuth2 server.
    public var oauth2ClientID: String?
    /// The scopes, separated by spaces.
    public var oauth2Scopes: String?
    /// Where the OAuth2 server sends the person back to; nil: the server's own address.
    public var oauth2RedirectURI: String?
    /// Further servers that the user name and password may go to, by their URLs, such as an identity provider's; only
    /// the program can say so, no file.
    public var answerOrigins: [String] = []

    /// Nothing: the server's challenge decides.
    public init() {}
}
