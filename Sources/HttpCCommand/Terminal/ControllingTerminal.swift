import Foundation
import HttpC

/// Asks a person for a password on the controlling terminal, whatever standard input and output are.
enum ControllingTerminal {
    /// As if the terminal had seen Ctrl-C: everybody in the foreground is told.
    static let interrupted: @Sendable () -> Void = { Interruption.shared.raise() }

    /// Gives the terminal its echo back; called on every way out.
    static func restore() { TerminalPrompter.restoreTerminal() }

    /// Asks without echo.
    ///
    /// - Parameter prompt: our own words first, text from a peer sanitised
    /// - Returns: nil where there is no terminal
    static func askPassword(_ prompt: String) async throws -> Redacted<String>? {
        guard TerminalPrompter.isAvailable else { return nil }
        do {
            return Redacted(try await TerminalDevice(onInterrupt: interrupted).ask(prompt, isSecret: true))
        } catch let error as WebLoginError where error.code == .cancelled {
            throw CancellationError()
        }
    }
}
