import Foundation
import HttpC
import QRCodes

/// Shows where to log in with another device: the address, the code, on a terminal a QR code, and that it waits.
struct DevicePresenter: DeviceAuthorizationPresenter {
    let profile: String
    let diagnostics: Diagnostics

    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        let isTerminal = isatty(2) != 0
        var lines = Self.lines(prompt, profile: profile, diagnostics.style)
        if isTerminal { lines += Self.code(prompt, diagnostics.style, width: ProgressBar.terminalWidth()) }
        for line in lines { diagnostics.line(line) }
        if isTerminal {
            diagnostics.spinner.start("waiting for the login at \(prompt.origin)", limit: prompt.lifetime)
        }
    }

    func dismiss() async { diagnostics.spinner.stop() }

    static func lines(_ prompt: DeviceAuthorizationPrompt, profile: String, _ style: TerminalStyle) -> [String] {
        [
            "httpc: \(prompt.origin) lets the profile \"\(profile)\" log in with any device:",
            "  open   \(style.paint(text(prompt.verificationURL), .bold))",
            "  enter  \(style.paint(prompt.userCode.value, .bold))",
        ]
    }

    /// The QR code; nothing where it does not fit, for half a code helps nobody.
    private static func code(_ prompt: DeviceAuthorizationPrompt, _ style: TerminalStyle, width: Int) -> [String] {
        let addresses = [prompt.completeURL, prompt.verificationURL].compactMap { $0?.absoluteString }
        let codes = addresses.lazy.compactMap { QRCode($0) }
        guard let code = codes.first(where: { QRText.width(of: $0) <= width }) else { return [] }
        return [""] + QRText.lines(code, isColoured: style.isColoured) + [""]
    }

    /// With its query: the person has to type it. Text from a peer (security rule S21).
    private static func text(_ url: TargetURL) -> String { TerminalText.sanitise(url.absoluteString, limit: 300) }
}
