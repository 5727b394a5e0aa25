#if os(Linux)
import HttpConversation

/// The browser's command line.
enum BrowserArguments {
    /// Nothing that outlives the login, and nobody to talk to but the login's pages.
    private static let quiet = [
        "--no-first-run", "--no-default-browser-check", "--disable-extensions", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
        "--disable-client-side-phishing-detection", "--disable-domain-reliability", "--disable-breakpad",
        "--disable-search-engine-choice-screen", "--metrics-recording-only", "--no-pings", "--no-service-autorun",
        "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider",
        // No key ring, no question for its password; shared memory lies in the profile and goes with it.
        "--password-store=basic", "--disable-dev-shm-usage",
    ]

    /// - Parameters:
    ///   - isRoot: Chromium does not start under root with its sandbox; nobody else goes without it
    ///   - kept: the servers that the browser must not reach by itself
    static func make(
        profile: String, isHeadless: Bool, isRoot: Bool, proxy: BrowserProxy = .none,
        kept: KeptConnections = KeptConnections(ConnectionPolicy())
    ) -> [String] {
        ["--remote-debugging-pipe", "--user-data-dir=\(profile)"] + quiet + proxy.arguments + kept.arguments
            + (isRoot ? ["--no-sandbox"] : [])
            // An application window takes no about: page.
            + (isHeadless
                ? ["--headless=new", "about:blank"]
                : ["--app=data:text/html,<title>Log in</title>", "--window-size=560,720"])
    }
}
#endif
