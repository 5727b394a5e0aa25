public import Synchronization

/// One run of an operation, with the waiters for its outcome.
///
/// Its code is visible to other modules, like that of ``SingleFlight``.
public final class SharedRun<Value: Sendable>: Sendable {
    /// A waiter.
    ///
    /// Its continuation is unsafe, because a checked one costs an object. It is taken out once, under the lock, and
    /// then resumed.
    @usableFromInline enum Waiter: Sendable {
        /// It has joined, but does not wait yet.
        case joined
        case waiting(UnsafeContinuation<Value, any Error>)
        /// It was cancelled.
        case left
    }

    @usableFromInline struct State {
        @usableFromInline var waiters: [Waiter] = []
        /// The number of waiters that have not left.
        @usableFromInline var count = 0
        @usableFromInline var task: Task<Void, Never>?
        /// Whether all waiters have left, and the run does not go on without them.
        @usableFromInline var isAbandoned = false
        @usableFromInline var outcome: Result<Value, any Error>?

        @inlinable init() {}
    }

    @usableFromInline let runsToCompletion: Bool
    @usableFromInline let state = Mutex(State())

    @inlinable init(runsToCompletion: Bool) { self.runsToCompletion = runsToCompletion }

    /// The place of a waiter. It is used once.
    public struct Place: Sendable {
        @usableFromInline let run: SharedRun
        @usableFromInline let index: Int

        @inlinable init(_ run: SharedRun, _ index: Int) {
            self.run = run
            self.index = index
        }

        /// Waits for the outcome.
        ///
        /// - Throws: the operation's error; `CancellationError` if the waiting task was cancelled
        @inlinable @inline(__always) public nonisolated(nonsending) func outcome() async throws -> Value {
            try await withTaskCancellationHandler {
                try await withUnsafeThrowingContinuation { run.wait(at: index, $0) }
            } onCancel: {
                run.leave(index)
            }
        }
    }

    /// The number of waiters.
    @inlinable var count: Int { state.withLock { $0.count } }
    @inlinable var isAbandoned: Bool { state.withLock { $0.isAbandoned } }

    /// Adds a waiter; nil if the run is over.
    @inlinable func join() -> Place? {
        let index = state.withLock { state -> Int? in
            guard !state.isAbandoned, state.outcome == nil else { return nil }
            state.waiters.append(.joined)
            state.count += 1
            return state.waiters.count - 1
        }
        return index.map { Place(self, $0) }
    }

    /// Notes the task of the run, which is cancelled with its last waiter.
    @inlinable func begin(_ task: Task<Void, Never>) { state.withLock { $0.task = task } }

    @inlinable func wait(at index: Int, _ continuation: UnsafeContinuation<Value, any Error>) {
        let known = state.withLock { state -> Result<Value, any Error>? in
            if case .left = state.waiters[index] { return .failure(CancellationError()) }
            if state.outcome == nil { state.waiters[index] = .waiting(continuation) }
            return state.outcome
        }
        if let known { continuation.resume(with: known) }
    }

    /// Ends the run, and the waits for it.
    @inlinable func end(_ outcome: Result<Value, any Error>) {
        let waiters = state.withLock { state in
            state.outcome = outcome
            return state.waiters
        }
        for case .waiting(let continuation) in waiters { continuation.resume(with: outcome) }
    }

    @inlinable func leave(_ index: Int) {
        let (waiter, task) = state.withLock { state -> (Waiter, Task<Void, Never>?) in
            guard state.outcome == nil else { return (.left, nil) }
            let waiter = state.waiters[index]
            state.waiters[index] = .left
            state.count -= 1
            state.isAbandoned = state.count == 0 && !runsToCompletion
            return (waiter, state.isAbandoned ? state.task : nil)
        }
        task?.cancel()
        if case .waiting(let continuation) = waiter { continuation.resume(throwing: CancellationError()) }
    }
}
