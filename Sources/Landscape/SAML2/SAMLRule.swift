/// Lifetimes and habits of the landscape's SAML2 service provider and identity provider.
public struct SAMLRule: Sendable, Hashable {
    /// How long an authentication request may be answered, by the landscape's clock.
    public var requestLifetime: Duration = .seconds(1800)
    /// How long an assertion or an artifact is good for.
    public var assertionLifetime: Duration = .seconds(300)
    /// How long a browser stays logged in at the identity provider without being used.
    public var loginLifetime: Duration = .seconds(1800)
    /// The bindings and options of `/SAMLAuthLauncher` at the root, in the words of a path under `/saml/`.
    public var launcher = "post-post"
    /// The identity provider's pages where the path does not say.
    public var loginStyle = SAMLLoginStyle.plain
    /// Whether the relay state is the URL that was asked for; otherwise it is opaque.
    public var relayStateIsURL = false
    /// Whether each challenge sets one more cookie, and expires those beyond twenty.
    public var setsStateCookies = false
    /// The status of challenges for scripts (`X-Requested-With: XMLHttpRequest`), such as 401 or 403; nil means that
    /// they get what everybody gets.
    public var scriptStatus: Int?
    /// The names of the fields of the login form.
    public var userField = "user"
    /// See ``userField``.
    public var passwordField = "password"
    /// The host name that browsers find the identity provider under.
    public var identityProviderHost = "localhost"
    /// How long each submitted login form waits before it is looked at; nil means not at all.
    public var loginDelay: Duration?
    /// How long each response waits at the service provider before it is looked at; nil means not at all.
    public var assertionDelay: Duration?

    /// POST bindings, a plain login form, opaque relay states, the identity provider on `localhost`.
    public init() {}
}
