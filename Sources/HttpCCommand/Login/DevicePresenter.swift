import Foundation
import HttpC

/// Shows where to log in with another device: the address, the code, on a terminal a QR code, and that it waits.
struct DevicePresenter: DeviceAuthorizationPresenter {
    let profile: String
    let diagnostics: Diagnostics

    func present(_ prompt: DeviceAuthorizationPrompt) async throws {
        let isTerminal = isatty(2) != 0
        for line in Self.lines(prompt, profile: profile, isTerminal ? diagnostics.style : nil) {
            diagnostics.line(line)
        }
        if isTerminal {
            diagnostics.spinner.start("waiting for the login at \(prompt.issuer)", limit: prompt.lifetime)
        }
    }

    func dismiss() async { diagnostics.spinner.stop() }

    /// - Parameter style: of the terminal; nil where there is none, and so no QR code
    static func lines(_ prompt: DeviceAuthorizationPrompt, profile: String, _ style: TerminalStyle?) -> [String] {
        let paint = { (text: String) in style?.paint(text, .bold) ?? text }
        let lines = [
            "httpc: \(prompt.issuer) lets the profile \"\(profile)\" log in with any device:",
            "  open   \(paint(text(prompt.verificationURL)))", "  enter  \(paint(prompt.userCode.value))",
        ]
        guard let style else { return lines }
        let addresses = [prompt.completeURL, prompt.verificationURL].compactMap { $0?.absoluteString }
        guard let code = addresses.lazy.compactMap({ QRCode($0) }).first else { return lines }
        return lines + [""] + QRText.lines(code, isColoured: style.isColoured) + [""]
    }

    /// With its query: the person has to type it. Text from a peer (security rule S21).
    private static func text(_ url: TargetURL) -> String { TerminalText.sanitise(url.absoluteString, limit: 300) }
}
