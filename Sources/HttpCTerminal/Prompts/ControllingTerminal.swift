package import HttpC
import HttpConvPlatform

/// Asks a person for a password on the controlling terminal, regardless of standard input and output.
package enum ControllingTerminal {
    /// Interrupts the whole foreground process group, as the terminal does for Ctrl-C.
    package static let interrupted: @Sendable () -> Void = { Interruption.shared.raise() }

    /// Turns the terminal's echo on again. Called whenever the process ends.
    static func restore() { TerminalPrompter.restoreTerminal() }

    /// Whether the task asks nobody.
    @TaskLocal package static var asksNobody = false

    /// Asks without echo.
    ///
    /// - Parameter prompt: the prompt, with our own words first and sanitised text of a peer
    /// - Returns: nil without a terminal, or if nobody is to be asked
    package static func askPassword(_ prompt: String) async throws -> Redacted<String>? {
        guard !asksNobody, TerminalPrompter.isAvailable else { return nil }
        do {
            return Redacted(try await TerminalPrompter(onInterrupt: interrupted).ask(prompt, isSecret: true))
        } catch let error as WebLoginError where error.code == .cancelled {
            throw CancellationError()
        }
    }
}
