// Compiled on Apple's platforms only, and not run by this project's tests, which run on Linux.
#if canImport(AuthenticationServices)
public import HttpConvAuthFlows
public import HttpConvWebStrategies

extension PlatformWebStrategies {
    /// Gives a registry the platform's strategies, and replaces those that it has.
    ///
    /// - Parameters:
    ///   - associatedDomains: the domains that the application is associated with (`webcredentials:` in its
    ///     entitlements), whose https URLs can be redirect URIs of OAuth2
    ///   - ignoresLogins: whether the authentication session ignores the logins of the person's browser: no single
    ///     sign-on
    ///   - presenter: shows the pages of SAML2, one-time codes, and OAuth2 of servers that allow it
    ///   - strategies: the registry
    public static func install(
        associatedDomains: Set<String>, ignoresLogins: Bool = false, presenter: some WebViewPresenter = LoginWindow(),
        in strategies: WebStrategies = .shared
    ) {
        let view = WebViewStrategy(presenter: presenter)
        strategies.defaultStrategy = view
        strategies.defaultOAuth2Strategy = oauth2(associatedDomains, ignoresLogins, view)
        strategies.defaultOpener = ApplicationOpener()
    }

    /// The strategy that the redirect URI needs. Only on macOS, a listener goes on while a browser is in front.
    static func oauth2(
        _ domains: Set<String>, _ ignoresLogins: Bool, _ view: WebViewStrategy
    ) -> any OAuth2WebStrategy {
        #if os(macOS)
        let listening: (any OAuth2WebStrategy)? = LoopbackOAuth2Strategy(opener: SystemBrowser())
        #else
        let listening: (any OAuth2WebStrategy)? = nil
        #endif
        return RedirectOAuth2Strategy(
            associatedDomains: domains, listening: listening,
            session: AuthenticationSessionStrategy(isEphemeral: ignoresLogins), opener: ApplicationOpener(),
            viewing: view)
    }
}
#endif
