/// The behaviour of a landscape's SAML2 service provider and identity provider.
package struct SAMLRule: Sendable, Hashable {
    /// The lifetime of an authentication request, by the landscape's clock.
    package var requestLifetime: Duration = .seconds(1800)
    /// The lifetime of an assertion or an artifact.
    package var assertionLifetime: Duration = .seconds(300)
    /// The time without use after which a browser is logged out at the identity provider.
    package var loginLifetime: Duration = .seconds(1800)
    /// The bindings and options of `/SAMLAuthLauncher` at the root, in the words of a path under `/saml/`.
    package var launcher = "post-post"
    /// The style of the identity provider's pages, unless the path names one.
    package var loginStyle = SAMLLoginStyle.plain
    /// Whether the relay state is the requested URL; otherwise it is opaque.
    package var relayStateIsURL = false
    /// Whether each challenge sets a further cookie, and expires those beyond twenty.
    package var setsStateCookies = false
    /// The status of challenges for scripts (`X-Requested-With: XMLHttpRequest`), such as 401 or 403; nil: the
    /// usual status.
    package var scriptStatus: Int?
    /// The name of the login form's field for the user.
    package var userField = "user"
    /// The name of the login form's field for the password.
    package var passwordField = "password"
    /// The host name of the identity provider for browsers.
    package var identityProviderHost = "localhost"
    /// The delay before each submitted login form is processed; nil: none.
    package var loginDelay: Duration?
    /// The delay before each response is processed at the service provider; nil: none.
    package var assertionDelay: Duration?

    /// POST bindings, a plain login form, opaque relay states, the identity provider on `localhost`.
    package init() {}
}
