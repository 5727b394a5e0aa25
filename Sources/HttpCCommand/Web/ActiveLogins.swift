import Synchronization

/// The logins that are under way now: the process does not end before what web logins show is taken away, and before
/// leases are given back.
final class ActiveLogins: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// One for the process, as its end is.
    static let shared = ActiveLogins()

    private let state = Mutex(State())

    /// Does the work of a login.
    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        begin()
        defer { finish() }
        return try await work()
    }

    /// Begins something that ``finish()`` ends.
    func begin() { state.withLock { $0.count += 1 } }

    /// Returns when there is none. A cancelled conversation does not wait for the end of its login, so somebody has to.
    func end() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    /// Ends what ``begin()`` began.
    func finish() {
        let waiting = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
