import Foundation
import HttpC
import Logon

/// Shows a logon's screens on the controlling terminal, whatever standard input and output are (security rule S21).
///
/// Where there is no terminal, what it would have asked for is the error.
struct TerminalLogonView: LogonView {
    let style: TerminalStyle
    let spinner: Spinner
    var device = TerminalDevice(onInterrupt: ControllingTerminal.interrupted)
    /// Of the terminal, in columns.
    var width = TerminalSize.current().columns

    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        if screen.kind == .activity { return await wait(screen) }
        guard device.isThere else { return try Self.unattended(screen) }
        do {
            return try await TerminalLogonScreen(screen, device, TerminalLogonText(style: style, width: width)).run()
        } catch let error as WebLoginError where error.code == .noStrategy {
            throw Self.nobody(screen)
        } catch {
            // Ctrl-C, Ctrl-D, a closed terminal, or a task that has ended.
            return .cancelled
        }
    }

    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {}

    func close() async { spinner.stop() }

    /// Shows what is being done, until its task is cancelled.
    private func wait(_ screen: LogonScreen) async -> LogonScreenAnswer {
        if isatty(2) != 0 { spinner.start(screen.title) }
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        for await _ in stream {}
        _ = continuation
        spinner.stop()
        return .cancelled
    }

    /// Without a terminal: first words need nobody, all else does.
    private static func unattended(_ screen: LogonScreen) throws(LogonError) -> LogonScreenAnswer {
        guard screen.kind == .splash else { throw nobody(screen) }
        return LogonScreenAnswer(.proceed)
    }

    private static func nobody(_ screen: LogonScreen) -> LogonError {
        let missing = screen.fields.filter { $0.isRequired && $0.value.isEmpty }.map { $0.label.lowercased() }
        let what =
            missing.isEmpty ? "" : " for \(missing.formatted(.list(type: .and).locale(Locale(identifier: "en"))))"
        return LogonError(.operationNotAllowed, "\(screen.title): there is no terminal to ask\(what).")
    }
}
