import Foundation
import HttpC

/// What the command says to the person, on standard error.
struct Diagnostics: Sendable {
    let isSilent: Bool
    let style: TerminalStyle
    let progress: ProgressBar?
    let spinner = Spinner()

    /// A message about something that did not work; it is our own text, with text from a peer sanitised in it.
    func message(_ text: String, status: ExitStatus? = nil) {
        guard !isSilent else { return }
        let number = status.map { "(\($0.rawValue)) " } ?? ""
        line(style.paint("httpc: ", .bold) + number + text)
    }

    /// A line of its own, also when silent.
    func line(_ text: String) {
        progress?.hide()
        spinner.hide()
        Self.write(text)
    }

    /// Text as it is, also when silent.
    func raw(_ text: String) {
        progress?.hide()
        spinner.hide()
        _ = Posix.writeAll(2, Array(text.utf8))
    }

    static func write(_ text: String) { _ = Posix.writeAll(2, Array((text + "\n").utf8)) }
}
