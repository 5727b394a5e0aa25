public import HttpConvAuthFlows
public import HttpConvWebStrategies

/// The default ways of showing logins.
public enum PlatformWebStrategies {
    private static let once: Void = {
        #if os(Linux)
        install(ChromiumStrategy(), in: .shared)
        #elseif canImport(AuthenticationServices)
        let (strategies, view) = (WebStrategies.shared, WebViewStrategy(presenter: LoginWindow()))
        if strategies.defaultStrategy == nil { strategies.defaultStrategy = view }
        if strategies.defaultOAuth2Strategy == nil { strategies.defaultOAuth2Strategy = oauth2([], view) }
        if strategies.defaultOpener == nil { strategies.defaultOpener = ApplicationOpener() }
        #endif
    }()

    #if os(Linux)
    /// Installs strategies that are not set. SAML2 and one-time codes need cookies back from the browser, so they use a
    /// Chromium window. Without a display they have no default, and the application sets one.
    static func install(_ window: ChromiumStrategy, in strategies: WebStrategies) {
        if strategies.defaultOAuth2Strategy == nil {
            strategies.defaultOAuth2Strategy = RedirectOAuth2Strategy(
                listening: LoopbackOAuth2Strategy(opener: SystemBrowser())
            ) { view(window, hasTerminal: TerminalPrompter.isAvailable) }
        }
        guard window.isAvailable else { return }
        if strategies.defaultStrategy == nil { strategies.defaultStrategy = window }
    }

    /// The strategy for pages of an OAuth2 login: a window, else questions in the terminal.
    static func view(_ window: ChromiumStrategy, hasTerminal: Bool) -> (any OAuth2WebStrategy)? {
        if window.isAvailable { return window }
        return hasTerminal ? TerminalWebStrategy(prompter: TerminalPrompter()) : nil
    }
    #elseif canImport(AuthenticationServices)
    /// Gives a registry the platform's strategies, and replaces those that it has.
    ///
    /// - Parameters:
    ///   - associatedDomains: the domains that the application is associated with (`webcredentials:` in its
    ///     entitlements), whose https URLs can be redirect URIs of OAuth2
    ///   - presenter: shows the pages of SAML2, one-time codes, and OAuth2 of servers that allow it
    ///   - strategies: the registry
    public static func install(
        associatedDomains: Set<String>, presenter: some WebViewPresenter = LoginWindow(),
        in strategies: WebStrategies = .shared
    ) {
        let view = WebViewStrategy(presenter: presenter)
        strategies.defaultStrategy = view
        strategies.defaultOAuth2Strategy = oauth2(associatedDomains, view)
        strategies.defaultOpener = ApplicationOpener()
    }

    /// The strategy that the redirect URI needs. Only on macOS, a listener goes on while a browser is in front.
    private static func oauth2(_ domains: Set<String>, _ view: WebViewStrategy) -> any OAuth2WebStrategy {
        #if os(macOS)
        let listening: (any OAuth2WebStrategy)? = LoopbackOAuth2Strategy(opener: SystemBrowser())
        #else
        let listening: (any OAuth2WebStrategy)? = nil
        #endif
        return RedirectOAuth2Strategy(
            associatedDomains: domains, listening: listening, session: AuthenticationSessionStrategy(),
            opener: ApplicationOpener(), viewing: view)
    }
    #endif

    /// Gives ``/HttpConvAuthFlows/WebStrategies/shared`` the platform's defaults for strategies that are not set.
    ///
    /// The redirect URI of OAuth2 decides. If it leads to this machine, the system's browser and a listener are used
    /// (Linux, macOS). For https or a custom scheme, Linux uses a Chromium window if there is a display, else questions
    /// in the terminal; Apple's platforms use the system's authentication session, or a web view if the server allows
    /// one. For SAML2 and one-time codes, Linux uses a Chromium window if there is a display, and Apple's platforms a
    /// web view in a window of its own. Managers of this module call it; repeated calls have no further effect.
    public static func install() { _ = once }
}
