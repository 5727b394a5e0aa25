import HttpConvAuthFlows
import HttpConvWebStrategies

/// How logins are shown unless the application says otherwise.
public enum PlatformWebStrategies {
    private static let once: Void = {
        #if os(Linux) || os(macOS)
        if WebStrategies.shared.defaultOAuth2Strategy == nil {
            WebStrategies.shared.defaultOAuth2Strategy = LoopbackOAuth2Strategy(opener: SystemBrowser())
        }
        #endif
        #if os(Linux)
        install(ChromiumStrategy(), in: .shared)
        #endif
    }()

    #if os(Linux)
    /// SAML2 and one-time codes need cookies back from the browser, so it is one of our own. Without a display nothing
    /// is shown: the application says what to do then.
    static func install(_ window: ChromiumStrategy, in strategies: WebStrategies) {
        guard window.isAvailable else { return }
        if strategies.defaultSAML2Strategy == nil { strategies.defaultSAML2Strategy = window }
        if strategies.defaultOTPStrategy == nil { strategies.defaultOTPStrategy = window }
    }
    #endif

    /// Gives ``HttpConvAuthFlows/WebStrategies/shared`` the platform's defaults where it has none: on Linux and macOS
    /// the system's browser with a loopback listener for OAuth2, and on Linux with a display a Chromium window for SAML2
    /// and one-time codes. Managers of this module call it; calling it again is harmless.
    public static func install() { _ = once }
}
