import HttpC
import HttpConvPlatform
import HttpConvSystem

/// The command's messages to the person, on standard error.
package struct Diagnostics: Sendable {
    package let isSilent: Bool
    /// Whether only failures are told, as with -sS.
    package let omitsNotices: Bool
    package let style: TerminalStyle
    package let progress: ProgressBar?
    package let spinner = Spinner()

    /// - Parameters:
    ///   - omitsNotices: whether only failures are told
    ///   - progress: the progress bar on the same terminal
    package init(isSilent: Bool, omitsNotices: Bool = false, style: TerminalStyle, progress: ProgressBar?) {
        self.isSilent = isSilent
        self.omitsNotices = omitsNotices
        self.style = style
        self.progress = progress
    }

    /// Writes a message about a failure. It is our own text, with sanitised text of a peer in it.
    package func message(_ text: String, status: ExitStatus? = nil) {
        guard !isSilent else { return }
        let number = status.map { "(\($0.rawValue)) " } ?? ""
        line(style.paint("httpc: ", .bold) + number + text)
    }

    /// Writes a message that is not about a failure of the command, such as a retry.
    package func notice(_ text: String) {
        if !omitsNotices { message(text) }
    }

    /// Writes a separate line, even if silent.
    package func line(_ text: String) {
        progress?.hide()
        spinner.hide()
        Self.write(text)
    }

    /// Writes text unchanged, even if silent.
    package func raw(_ text: String) {
        progress?.hide()
        spinner.hide()
        _ = SystemCalls.writeAll(2, Array(text.utf8))
    }

    package static func write(_ text: String) { _ = SystemCalls.writeAll(2, Array((text + "\n").utf8)) }
}
