/// What shows a logon's screens, by any toolkit: one method for each thing that a dialogue tells a view.
///
/// An application writes one, or takes ``LogonModel`` with a SwiftUI view, or `httpc`'s in a terminal. <doc:UI> has an
/// example.
public protocol LogonView: Sendable {
    /// Shows a screen and waits for what the person does.
    ///
    /// Only one screen asks for something at a time; a ``LogonScreen/Kind/activity`` may stand behind it. A view ends
    /// promptly when its task is cancelled, with any answer.
    ///
    /// - Throws: where nobody can be asked, ``LogonError/Code/operationNotAllowed`` that says what is missing
    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer
    /// An operation has ended; what went wrong is shown by a screen of its own.
    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async
    /// Takes everything away: the dialogue is over.
    func close() async
}
