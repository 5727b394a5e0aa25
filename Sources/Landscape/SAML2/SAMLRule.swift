/// Lifetimes and habits of the landscape's SAML2 service provider and identity provider.
package struct SAMLRule: Sendable, Hashable {
    /// How long an authentication request may be answered, by the landscape's clock.
    package var requestLifetime: Duration = .seconds(1800)
    /// How long an assertion or an artifact is good for.
    package var assertionLifetime: Duration = .seconds(300)
    /// How long a browser stays logged in at the identity provider without being used.
    package var loginLifetime: Duration = .seconds(1800)
    /// The bindings and options of `/SAMLAuthLauncher` at the root, in the words of a path under `/saml/`.
    package var launcher = "post-post"
    /// The identity provider's pages where the path does not say.
    package var loginStyle = SAMLLoginStyle.plain
    /// Whether the relay state is the URL that was asked for; otherwise it is opaque.
    package var relayStateIsURL = false
    /// Whether each challenge sets one more cookie, and expires those beyond twenty.
    package var setsStateCookies = false
    /// The status of challenges for scripts (`X-Requested-With: XMLHttpRequest`), such as 401 or 403; nil means that
    /// they get what everybody gets.
    package var scriptStatus: Int?
    /// The names of the fields of the login form.
    package var userField = "user"
    /// See ``userField``.
    package var passwordField = "password"
    /// The host name that browsers find the identity provider under.
    package var identityProviderHost = "localhost"
    /// How long each submitted login form waits before it is looked at; nil means not at all.
    package var loginDelay: Duration?
    /// How long each response waits at the service provider before it is looked at; nil means not at all.
    package var assertionDelay: Duration?

    /// POST bindings, a plain login form, opaque relay states, the identity provider on `localhost`.
    package init() {}
}
