import HttpConvLogon
import HttpConvLogonScreens
import Synchronization

/// A scripted person at a view: an answer for each screen, in order. Records the screens.
final class ScriptedView: LogonView {
    typealias Answer = @Sendable (LogonScreen) throws(LogonError) -> LogonScreenAnswer

    private struct State {
        var answers: [Answer]
        var screens: [LogonScreen] = []
        var activities: [String] = []
        var responses: [(LogonOperation, LogonError.Code?)] = []
        var closings = 0
    }

    private let state: Mutex<State>
    /// Whether the person cancels the running operation.
    private let cancelsActivity: Bool

    init(cancelsActivity: Bool = false, _ answers: [Answer]) {
        state = Mutex(State(answers: answers))
        self.cancelsActivity = cancelsActivity
    }

    /// - Parameter answers: the answers, for any screens
    convenience init(cancelsActivity: Bool = false, _ answers: LogonScreenAnswer...) {
        self.init(cancelsActivity: cancelsActivity, answers.map { answer in { _ in answer } })
    }

    /// The screens that asked, in order.
    var screens: [LogonScreen] { state.withLock { $0.screens } }
    var kinds: [LogonScreen.Kind] { screens.map(\.kind) }
    var activities: [String] { state.withLock { $0.activities } }
    var operations: [LogonOperation] { state.withLock { $0.responses.map(\.0) } }
    var outcomes: [LogonError.Code?] { state.withLock { $0.responses.map(\.1) } }
    var closings: Int { state.withLock { $0.closings } }

    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        if screen.kind == .activity {
            state.withLock { $0.activities.append(screen.title) }
            if !cancelsActivity { for await _ in AsyncStream<Never>.makeStream().stream {} }
            return .cancelled
        }
        let answer = state.withLock { state in
            state.screens.append(screen)
            return state.answers.isEmpty ? nil : state.answers.removeFirst()
        }
        guard let answer else { throw LogonError(.operationNotAllowed, "Nobody knows what to do on \(screen.kind).") }
        return try answer(screen)
    }

    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {
        state.withLock { $0.responses.append((operation, error?.code)) }
    }

    func close() async { state.withLock { $0.closings += 1 } }
}
