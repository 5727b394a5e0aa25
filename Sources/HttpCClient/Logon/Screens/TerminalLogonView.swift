import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens
import HttpConvPlatform

/// Shows a logon's screens on the controlling terminal, regardless of standard input and output (security rule S21).
///
/// Without a terminal, the error names the missing input.
struct TerminalLogonView: LogonView {
    let style: TerminalStyle
    let spinner: Spinner
    var terminal = TerminalPrompter(onInterrupt: ControllingTerminal.interrupted)
    /// The terminal's width in columns.
    var width = TerminalSize.current().columns

    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        if screen.kind == .activity { return await wait(screen) }
        guard terminal.isThere else { return try Self.unattended(screen) }
        do {
            return try await TerminalLogonScreen(screen, terminal, TerminalLogonText(style: style, width: width)).run()
        } catch let error as WebLoginError where error.code == .noStrategy {
            throw Self.nobody(screen)
        } catch {
            // Ctrl-C, Ctrl-D, a closed terminal, or a cancelled task.
            return .cancelled
        }
    }

    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {}

    func close() async { spinner.stop() }

    /// Shows the current activity until its task is cancelled.
    private func wait(_ screen: LogonScreen) async -> LogonScreenAnswer {
        if isatty(2) != 0 { spinner.start(screen.title) }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        _ = continuation
        spinner.stop()
        return .cancelled
    }

    /// The answer without a terminal: a splash screen needs no person, and all others do.
    private static func unattended(_ screen: LogonScreen) throws(LogonError) -> LogonScreenAnswer {
        guard screen.kind == .splash else { throw nobody(screen) }
        return LogonScreenAnswer(.proceed)
    }

    private static func nobody(_ screen: LogonScreen) -> LogonError {
        let missing = screen.fields.filter { $0.isRequired && $0.value.isEmpty }.map { $0.label.lowercased() }
        let what = missing.isEmpty ? "" : " for \(missing.joined(separator: " and "))"
        return LogonError(.operationNotAllowed, "\(screen.title): there is no terminal to ask\(what).")
    }
}
