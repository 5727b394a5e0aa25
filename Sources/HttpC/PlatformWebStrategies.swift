import HttpConvAuthFlows
import HttpConvWebStrategies

#if canImport(AuthenticationServices)
import AuthenticationServices
#endif

/// How logins are shown unless the application says otherwise.
public enum PlatformWebStrategies {
    private static let once: Void = {
        #if os(Linux)
        install(ChromiumStrategy(), in: .shared)
        #elseif canImport(AuthenticationServices)
        if WebStrategies.shared.defaultOAuth2Strategy == nil { WebStrategies.shared.defaultOAuth2Strategy = oauth2 }
        #endif
    }()

    #if os(Linux)
    /// SAML2 and one-time codes need cookies back from the browser, so it is one of our own. Without a display nothing
    /// is shown: the application says what to do then.
    static func install(_ window: ChromiumStrategy, in strategies: WebStrategies) {
        if strategies.defaultOAuth2Strategy == nil {
            strategies.defaultOAuth2Strategy = RedirectOAuth2Strategy(
                listening: LoopbackOAuth2Strategy(opener: SystemBrowser())
            ) { view(window, hasTerminal: TerminalPrompter.isAvailable) }
        }
        guard window.isAvailable else { return }
        if strategies.defaultSAML2Strategy == nil { strategies.defaultSAML2Strategy = window }
        if strategies.defaultOTPStrategy == nil { strategies.defaultOTPStrategy = window }
    }

    /// What shows pages of an OAuth2 login: a window, else questions in the terminal.
    static func view(_ window: ChromiumStrategy, hasTerminal: Bool) -> (any OAuth2WebStrategy)? {
        if window.isAvailable { return window }
        return hasTerminal ? TerminalWebStrategy(prompter: TerminalPrompter()) : nil
    }
    #elseif canImport(AuthenticationServices)
    /// The system's authentication session; on macOS the system's browser where a listener is what brings a login back.
    private static var oauth2: any OAuth2WebStrategy {
        let session = AuthenticationSessionStrategy { ASPresentationAnchor() }
        #if os(macOS)
        return RedirectOAuth2Strategy(listening: LoopbackOAuth2Strategy(opener: SystemBrowser())) { session }
        #else
        return session
        #endif
    }
    #endif

    /// Gives ``/HttpConvAuthFlows/WebStrategies/shared`` the platform's defaults where it has none.
    ///
    /// OAuth2 goes by the redirect URI: to this machine, the system's browser and a listener (Linux, macOS); https or a
    /// custom scheme, on Linux a Chromium window where there is a display, else questions in the terminal, on Apple's
    /// platforms the system's authentication session. SAML2 and one-time codes: on Linux with a display a Chromium
    /// window. Managers of this module call it; calling it again is harmless.
    public static func install() { _ = once }
}
