import Foundation
import HttpC

/// The command's messages to the person, on standard error.
struct Diagnostics: Sendable {
    let isSilent: Bool
    let style: TerminalStyle
    let progress: ProgressBar?
    let spinner = Spinner()

    /// Writes a message about a failure. It is our own text, with sanitised text of a peer in it.
    func message(_ text: String, status: ExitStatus? = nil) {
        guard !isSilent else { return }
        let number = status.map { "(\($0.rawValue)) " } ?? ""
        line(style.paint("httpc: ", .bold) + number + text)
    }

    /// Writes a separate line, even if silent.
    func line(_ text: String) {
        progress?.hide()
        spinner.hide()
        Self.write(text)
    }

    /// Writes text unchanged, even if silent.
    func raw(_ text: String) {
        progress?.hide()
        spinner.hide()
        _ = Posix.writeAll(2, Array(text.utf8))
    }

    static func write(_ text: String) { _ = Posix.writeAll(2, Array((text + "\n").utf8)) }
}
