#if os(Linux)
import HttpConversation

/// The browser's command line.
enum BrowserArguments {
    /// Options that keep nothing beyond the login and avoid traffic other than the login's pages.
    private static let quiet = [
        "--no-first-run", "--no-default-browser-check", "--disable-extensions", "--disable-sync",
        "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
        "--disable-client-side-phishing-detection", "--disable-domain-reliability", "--disable-breakpad",
        "--disable-search-engine-choice-screen", "--metrics-recording-only", "--no-pings", "--no-service-autorun",
        "--disable-features=Translate,OptimizationHints,MediaRouter,AutofillServerCommunication,CertificateTransparencyComponentUpdater,DialMediaRouteProvider",
        // No key ring, so no question for its password. Shared memory is kept in the profile and removed with it.
        "--password-store=basic", "--disable-dev-shm-usage",
    ]

    /// - Parameters:
    ///   - isRoot: Chromium does not start as root with its sandbox; all other users keep the sandbox
    ///   - kept: the servers that the browser must not reach by itself
    static func make(
        profile: String, isHeadless: Bool, isRoot: Bool, proxy: BrowserProxy = .none,
        kept: KeptConnections = KeptConnections(ConnectionPolicy())
    ) -> [String] {
        ["--remote-debugging-pipe", "--user-data-dir=\(profile)"] + quiet + proxy.arguments + kept.arguments
            + (isRoot ? ["--no-sandbox"] : [])
            // An ordinary window, whose address bar shows the asking server. With about:blank the cursor would be in
            // the address bar.
            + (isHeadless
                ? ["--headless=new", "about:blank"]
                : ["--new-window", "--window-size=760,780", "data:text/html,<title>Log in</title>"])
    }
}
#endif
