import Synchronization

/// Holds requests until a test lets them go, see ``Landscape/hold(_:)``.
public final class Gate: Sendable {
    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var isOpen = false
        var held: [(key: Int, continuation: CheckedContinuation<Void, Never>)] = []
        var watchers: [Int: Watcher] = [:]
        var nextKey = 0
    }

    private let state = Mutex(State())

    init() {}

    /// The number of requests that are held now.
    public var waiters: Int { state.withLock { $0.held.count } }

    /// Returns when at least `count` requests are held at once.
    ///
    /// Throws `CancellationError`, or ``LandscapeError`` if the landscape stops or the gate opens before.
    public func waitForWaiters(_ count: Int) async throws {
        let key = nextKey()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.held.count >= count { return .success(()) }
                    if state.isOpen { return .failure(LandscapeError(.stopped, "the gate is open")) }
                    state.watchers[key] = Watcher(count: count, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let watcher = state.withLock { $0.watchers.removeValue(forKey: key) }
            watcher?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Lets the held requests and all later ones pass.
    public func release() {
        let (held, watchers) = state.withLock { state in
            state.isOpen = true
            defer { (state.held, state.watchers) = ([], [:]) }
            return (state.held, Array(state.watchers.values))
        }
        for request in held { request.continuation.resume() }
        for watcher in watchers {
            watcher.continuation.resume(throwing: LandscapeError(.stopped, "the gate was opened"))
        }
    }

    /// Lets the first `count` held requests pass. The gate stays closed.
    public func release(first count: Int) {
        let released = state.withLock { state in
            let released = Array(state.held.prefix(count))
            state.held.removeFirst(released.count)
            return released
        }
        for request in released { request.continuation.resume() }
    }

    /// Waits until released or cancelled.
    func pass() async {
        let key = nextKey()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let reached: [Watcher]? = state.withLock { state in
                    if state.isOpen || Task.isCancelled { return nil }
                    state.held.append((key, continuation))
                    let reached = state.watchers.filter { $0.value.count <= state.held.count }
                    for key in reached.keys { state.watchers[key] = nil }
                    return Array(reached.values)
                }
                guard let reached else { return continuation.resume() }
                for watcher in reached { watcher.continuation.resume() }
            }
        } onCancel: {
            let held = state.withLock { state in
                state.held.firstIndex { $0.key == key }.map { state.held.remove(at: $0) }
            }
            held?.continuation.resume()
        }
    }

    private func nextKey() -> Int {
        state.withLock { state in
            state.nextKey += 1
            return state.nextKey
        }
    }
}
