#if os(Linux)
import Synchronization

/// Limits the number of concurrent tasks. The others wait in their order of arrival.
final class TaskLimiter: Sendable {
    private struct State {
        var free: Int
        var queue: [CheckedContinuation<Void, Never>] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) { state = Mutex(State(free: count)) }

    /// Runs work when a place is free. Cancelled tasks wait too; the tasks before them are cancelled with them and end
    /// soon.
    func perform<Value>(_ work: () async throws -> Value) async rethrows -> Value {
        await withCheckedContinuation { continuation in
            let isFree = state.withLock { state in
                if state.free == 0 {
                    state.queue.append(continuation)
                    return false
                }
                state.free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
        defer { leave() }
        return try await work()
    }

    private func leave() {
        let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard state.queue.isEmpty else { return state.queue.removeFirst() }
            state.free += 1
            return nil
        }
        next?.resume()
    }
}
#endif
