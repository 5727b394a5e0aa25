import Synchronization

/// The logins that are running. Before the process ends, web logins close their windows, and leases are released.
final class ActiveLogins: Sendable {
    private struct State {
        var count = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    /// The only instance, because the process waits for all logins.
    static let shared = ActiveLogins()

    private let state = Mutex(State())

    /// Runs the work of a login.
    func during<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        state.withLock { $0.count += 1 }
        defer { finish() }
        return try await work()
    }

    /// Returns when no login is running. A cancelled conversation does not wait for the end of its login, so the
    /// command does.
    func end() async {
        await withCheckedContinuation { continuation in
            let isIdle = state.withLock { state in
                if state.count > 0 { state.waiting.append(continuation) }
                return state.count == 0
            }
            if isIdle { continuation.resume() }
        }
    }

    private func finish() {
        let waiting = state.withLock { state in
            state.count -= 1
            guard state.count == 0 else { return [CheckedContinuation<Void, Never>]() }
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
