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
    }()

    /// Gives ``HttpConvAuthFlows/WebStrategies/shared`` the platform's defaults where it has none: on Linux and macOS
    /// the system's browser with a loopback listener. Managers of this module call it; calling it again is harmless.
    public static func install() { _ = once }
}
