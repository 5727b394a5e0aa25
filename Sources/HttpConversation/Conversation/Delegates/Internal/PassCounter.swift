import Synchronization

/// Counts the passes of sending a body. A transport that retries reports from zero again.
final class PassCounter: Sendable {
    private let state = Mutex((sent: 0, pass: 0))
    /// The passes of all exchanges in the conversation.
    private let passes: Delegates

    init(_ passes: Delegates) { self.passes = passes }

    func pass(at sent: Int) -> Int {
        state.withLock { state in
            if state.pass == 0 || sent <= state.sent { state.pass = passes.beginPass() }
            state.sent = sent
            return state.pass
        }
    }
}
