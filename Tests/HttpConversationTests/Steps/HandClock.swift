import Synchronization

/// A clock that a test moves.
final class HandClock: Clock, Sendable {
    private struct State {
        var elapsed: Duration = .zero
        var next = 0
        var sleepers: [Int: (deadline: ContinuousClock.Instant, continuation: CheckedContinuation<Void, any Error>)] =
            [:]
    }

    private let start = ContinuousClock.now
    private let state = Mutex(State())

    var now: ContinuousClock.Instant { state.withLock { start + $0.elapsed } }
    var minimumResolution: Duration { .nanoseconds(1) }
    /// How many time limits count now.
    var sleepers: Int { state.withLock { $0.sleepers.count } }

    func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.elapsed += duration
            let now = start + state.elapsed
            let woken = state.sleepers.filter { $0.value.deadline <= now }
            for number in woken.keys { state.sleepers[number] = nil }
            return woken.values.map(\.continuation)
        }
        for continuation in woken { continuation.resume() }
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                state.withLock { $0.sleepers[number] = (deadline, continuation) }
                if Task.isCancelled { leave(number) }
            }
        } onCancel: {
            leave(number)
        }
    }

    private func leave(_ number: Int) {
        state.withLock { $0.sleepers.removeValue(forKey: number) }?.continuation
            .resume(throwing: CancellationError())
    }
}
