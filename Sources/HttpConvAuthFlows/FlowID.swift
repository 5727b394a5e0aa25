/// The ids under which ``CommonAuthenticationConfigurator`` adds its filters. Use them to remove or replace a filter in
/// a configuration.
///
/// ```swift
/// manager.update { configuration in
///     configuration.requestFilters.remove(id: FlowID.csrf)
///     configuration.responseFilters.remove(id: FlowID.csrf)
/// }
/// ```
public enum FlowID {
    /// Basic and Digest: a challenge filter.
    public static let usernamePassword = "HttpConvAuthFlows.UsernamePassword"
    /// The logins that proxies were configured with: a challenge filter.
    public static let proxyLogin = "HttpConvAuthFlows.ProxyLogin"
    /// Basic and Digest for proxies, from providers: a challenge filter.
    public static let proxyPassword = "HttpConvAuthFlows.ProxyPassword"
    /// Negotiate with Kerberos: a challenge filter.
    public static let negotiate = "HttpConvAuthFlows.Negotiate"
    /// Negotiate with Kerberos for proxies: a challenge filter.
    public static let proxyNegotiate = "HttpConvAuthFlows.ProxyNegotiate"
    /// Client certificates: a challenge filter.
    public static let clientCertificate = "HttpConvAuthFlows.ClientCertificate"
    /// OAuth2 tokens: a request, a challenge and a response filter.
    public static let oauth2 = "HttpConvAuthFlows.OAuth2"
    /// SAML2 logins: a redirect and a response filter.
    public static let saml2 = "HttpConvAuthFlows.SAML2"
    /// SAML2 logins without a page, by ECP: a request, a redirect and a response filter.
    public static let ecp = "HttpConvAuthFlows.ECP"
    /// Other web logins: a redirect and a response filter.
    public static let webLogin = "HttpConvAuthFlows.WebLogin"
    /// One-time codes: a redirect filter.
    public static let otp = "HttpConvAuthFlows.OTP"
    /// Tokens against cross-site request forgery: a request and a response filter.
    public static let csrf = "HttpConvAuthFlows.CSRF"
}
