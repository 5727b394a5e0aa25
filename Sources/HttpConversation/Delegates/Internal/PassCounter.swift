import Synchronization

/// Tells which time a body is sent. A transport that tries again reports from the start again.
final class PassCounter: Sendable {
    private let state = Mutex((sent: 0, pass: 0))
    /// Of all exchanges of the conversation.
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
