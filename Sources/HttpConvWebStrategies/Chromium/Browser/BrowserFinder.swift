#if os(Linux)
import HttpConvAuthFlows
import HttpConvPlatform
import HttpConvSystem
import HttpConversation

/// Finds a browser of the Chromium family.
struct BrowserFinder {
    static let names = [
        "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge",
        "microsoft-edge-stable", "brave-browser", "brave-browser-stable", "vivaldi-stable",
    ]

    let path: String

    init(path: String = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/local/bin:/usr/bin:/bin") {
        self.path = path
    }

    /// The absolute path of a program: of the named one, or of the first known browser.
    ///
    /// - Throws: ``WebLoginError/Code/browserFailed``
    func find(_ name: String?) throws(WebLoginError) -> String {
        if let name {
            if let program = program(name) { return program }
            throw WebLoginError(
                .browserFailed,
                "The browser \"\(TerminalText.sanitise(name))\" is not there, or is not a program: name another one.")
        }
        for name in Self.names {
            if let program = program(name) { return program }
        }
        throw WebLoginError(
            .browserFailed,
            "No browser was found on the PATH (\(Self.names.prefix(3).joined(separator: ", ")), …): install chromium, or name a program."
        )
    }

    func program(_ name: String) -> String? { ProgramEnvironment.program(name, path: path) }
}
#endif
