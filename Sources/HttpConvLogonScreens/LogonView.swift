public import HttpConvLogon

/// Shows a logon's screens in some toolkit: one method for each message of a dialogue.
///
/// Write one, or use ``LogonModel`` with a SwiftUI view, or `httpc`'s in a terminal. <doc:HttpConvLogonScreens> has an
/// example.
public protocol LogonView: Sendable {
    /// Shows a screen and waits for the person's answer.
    ///
    /// Only one screen asks at a time; a ``LogonScreen/Kind/activity`` may be shown behind it. When its task is
    /// cancelled, a view returns promptly, with any answer.
    ///
    /// - Throws: `LogonError.Code.operationNotAllowed` if no person can be asked; the message says what is missing
    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer
    /// Reports the end of an operation. An error is shown by a screen of its own.
    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async
    /// Removes everything from the display: the dialogue has ended.
    func close() async
}
