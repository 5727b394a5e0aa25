import Synchronization

/// Holds its callers until a test opens it.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var next = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
    }

    private let state = Mutex(State())

    func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            defer { state.waiting = [:] }
            return state.waiting.values.map { $0 }
        }
        for continuation in waiting { continuation.resume() }
    }

    /// - Throws: `CancellationError` if the task is cancelled meanwhile
    func wait() async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let isOpen = state.withLock { state in
                    if !state.isOpen { state.waiting[number] = continuation }
                    return state.isOpen
                }
                if isOpen { continuation.resume() }
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
    }

    private func leave(_ number: Int) {
        state.withLock { $0.waiting.removeValue(forKey: number) }?.resume(throwing: CancellationError())
    }
}

/// Polls a condition until it holds; the suite's time limit ends it.
func until(_ condition: () async -> Bool) async throws {
    while await !condition() { try await Task.sleep(for: .milliseconds(1)) }
}
