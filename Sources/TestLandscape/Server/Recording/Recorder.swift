import Synchronization

/// Keeps the most recent requests and counts all of them.
final class Recorder: Sendable {
    private struct Waiter {
        let path: String
        let count: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var ring: [RecordedRequest] = []
        var firstID = 0
        var nextID = 0
        var counts: [String: Int] = [:]
        var waiters: [Int: Waiter] = [:]
        var nextWaiter = 0
        var isStopped = false
    }

    private let capacity: Int
    private let state = Mutex(State())
    private let enabled: Mutex<Bool>

    init(capacity: Int, enabled: Bool) {
        self.capacity = max(1, capacity)
        self.enabled = Mutex(enabled)
    }

    var isEnabled: Bool {
        get { enabled.withLock { $0 } }
        set { enabled.withLock { $0 = newValue } }
    }

    /// Keeps the request that `make` builds from its id; nil while recording is off.
    func add(path: String, _ make: (Int) -> RecordedRequest) -> Int? {
        guard isEnabled else { return nil }
        let (id, reached) = state.withLock { state in
            let id = state.nextID
            state.nextID += 1
            let position = (id - state.firstID) % capacity
            let request = make(id)
            if position < state.ring.count { state.ring[position] = request } else { state.ring.append(request) }
            if state.counts[path] != nil || state.counts.count < capacity { state.counts[path, default: 0] += 1 }
            return (id, Self.takeReached(&state, path: path))
        }
        for waiter in reached { waiter.continuation.resume() }
        return id
    }

    /// Changes a kept request. Does nothing if it was overwritten meanwhile.
    func update(_ id: Int?, _ change: (inout RecordedRequest) -> Void) {
        guard let id else { return }
        state.withLock { state in
            guard id >= state.firstID else { return }
            let position = (id - state.firstID) % capacity
            guard position < state.ring.count, state.ring[position].id == id else { return }
            change(&state.ring[position])
        }
    }

    /// The kept requests that satisfy the condition, oldest first.
    func requests(where condition: (RecordedRequest) -> Bool) -> [RecordedRequest] {
        state.withLock(\.ring).filter(condition).sorted { $0.id < $1.id }
    }

    func count(path: String) -> Int {
        state.withLock { $0.counts[path] ?? 0 }
    }

    /// Forgets all records. The ids go on.
    func reset() {
        state.withLock { state in
            state.ring = []
            state.firstID = state.nextID
            state.counts = [:]
        }
    }

    /// Returns when `count` requests for `path` have been seen since the start or the last reset.
    func wait(count: Int, path: String) async throws {
        let key = state.withLock { state in
            state.nextWaiter += 1
            return state.nextWaiter
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome: Result<Void, any Error>? = state.withLock { state in
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.isStopped { return .failure(LandscapeError(.stopped, "the landscape has stopped")) }
                    if state.counts[path] ?? 0 >= count { return .success(()) }
                    state.waiters[key] = Waiter(path: path, count: count, continuation: continuation)
                    return nil
                }
                if let outcome { continuation.resume(with: outcome) }
            }
        } onCancel: {
            let waiter = state.withLock { $0.waiters.removeValue(forKey: key) }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Fails all waiters.
    func stop() {
        let waiters = state.withLock { state in
            state.isStopped = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters {
            waiter.continuation.resume(throwing: LandscapeError(.stopped, "the landscape has stopped"))
        }
    }

    private static func takeReached(_ state: inout State, path: String) -> [Waiter] {
        guard !state.waiters.isEmpty else { return [] }
        let count = state.counts[path] ?? 0
        let reached = state.waiters.filter { $0.value.path == path && $0.value.count <= count }
        for key in reached.keys { state.waiters[key] = nil }
        return Array(reached.values)
    }
}
