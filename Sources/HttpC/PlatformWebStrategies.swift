import HttpConvAuthFlows
import HttpConvWebStrategies

/// The default ways of showing logins.
public enum PlatformWebStrategies {
    private static let once: Void = {
        #if os(Linux)
        install(ChromiumStrategy(), in: .shared)
        #elseif canImport(AuthenticationServices)
        let (strategies, view) = (WebStrategies.shared, WebViewStrategy(presenter: LoginWindow()))
        if strategies.defaultStrategy == nil { strategies.defaultStrategy = view }
        if strategies.defaultOAuth2Strategy == nil { strategies.defaultOAuth2Strategy = oauth2([], false, view) }
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
