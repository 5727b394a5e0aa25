import HttpC
import HttpCTerminal
import HttpConvPlatform
import QRCodes

/// Shows a login with another device: the URL, the code, a QR code on a terminal, and that the command waits.
struct DevicePresenter: DeviceAuthorizationPresenter {
    let profile: Profile
    let diagnostics: Diagnostics
    /// Whether the code would be invisible, as in a background relay.
    var isUnwatched = false

    func prepare() async throws {
        if isUnwatched { throw CommandFailure(unwatched: profile) }
    }

    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        let isTerminal = isatty(2) != 0
        let addresses = [prompt.completeURL, prompt.verificationURL].compactMap { $0?.absoluteString }
        let code = isTerminal ? Self.code(addresses, diagnostics.style, TerminalSize.current()) : []
        for line in Self.lines(prompt, profile: profile.name, diagnostics.style, code: code) { diagnostics.line(line) }
        if isTerminal {
            diagnostics.spinner.start("waiting for the login at \(prompt.origin)", limit: prompt.lifetime)
        }
    }

    func dismiss() async { diagnostics.spinner.stop() }

    /// - Parameter code: the lines of a QR code, above the code to type
    static func lines(
        _ prompt: DeviceAuthorizationPrompt, profile: String, _ style: TerminalStyle, code: [String]
    ) -> [String] {
        [
            "httpc: \(prompt.origin) lets the profile \"\(profile)\" log in with any device:",
            "  open   \(style.paint(text(prompt.verificationURL), .bold))",
        ] + code + ["  enter  \(style.paint(prompt.userCode.value, .bold))"]
    }

    /// The QR code of the first URL that fits; empty if none fits, because a part of a code is useless.
    static func code(
        _ addresses: [String], _ style: TerminalStyle, _ size: TerminalSize,
        isUnicode: Bool = ProgressScreen.isUnicode(ProcessInfo.processInfo.environment)
    ) -> [String] {
        let texts = addresses.lazy.compactMap { QRCode($0) }.map {
            QRText($0, isColoured: style.isColoured, isUnicode: isUnicode)
        }
        // The code to type and the spinner are below it.
        guard let text = texts.first(where: { $0.width <= size.columns && $0.height + 3 <= size.rows }) else {
            return []
        }
        return [""] + text.lines + [""]
    }

    /// The URL with its query, because the person has to type it. It is sanitised as text of a peer (security rule
    /// S21).
    private static func text(_ url: TargetURL) -> String { TerminalText.sanitise(url.absoluteString, limit: 300) }
}

extension CommandFailure {
    /// The failure of a login on another device that nobody would see.
    init(unwatched profile: Profile) {
        self.init(
            .loginFailed,
            "The profile \"\(profile.name)\" is logged out, and nobody can log in here. Run: \(profile.commandLine("login"))"
        )
    }
}
