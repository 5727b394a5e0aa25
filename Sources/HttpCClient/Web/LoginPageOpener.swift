import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvSystem

/// Opens a login in the person's browser, and prints its URL: there may be no browser, or one on another screen.
struct LoginPageOpener: ExternalURLOpener {
    let profile: Profile
    let diagnostics: Diagnostics

    func open(_ url: URL) async throws {
        let address = TerminalText.sanitise(url.absoluteString, limit: 8192)
        diagnostics.line(
            "httpc: the profile \"\(profile.name)\" needs a login. Open this page on this machine:\n  \(address)")
        do {
            try await Self.browser().open(url)
        } catch {
            guard isatty(2) != 0 else {
                throw OAuth2Error(
                    .loginFailed,
                    "There is neither a browser nor a terminal to log in with. Run where there is one: "
                        + profile.commandLine("login") + ". With any other device: "
                        + profile.commandLine("login --grant device"), underlyingError: error)
            }
            diagnostics.line("httpc: no browser could be opened. Open the page above in a browser.")
        }
    }

    /// The browser of `$BROWSER`, else the system's.
    private static func browser() throws -> SystemBrowser {
        let environment = ProcessInfo.processInfo.environment
        if let program = environment["BROWSER"]?.split(separator: ":").first.map(String.init) {
            guard let place = ProgramEnvironment.program(program, path: environment["PATH"] ?? "") else {
                throw OAuth2Error(.loginFailed, "The program that BROWSER names is not there.")
            }
            return SystemBrowser(program: place)
        }
        #if os(Linux)
        // Without a screen, xdg-open would fill the terminal with a text browser, or fail silently.
        guard environment["DISPLAY"] != nil || environment["WAYLAND_DISPLAY"] != nil else {
            throw OAuth2Error(.loginFailed, "There is no screen for a browser.")
        }
        #endif
        return SystemBrowser()
    }
}
