public import Synchronization

/// Runs one operation per key at a time; callers that ask for the key meanwhile get its outcome.
///
/// The operation runs in its own task. A cancelled waiter leaves and the others continue. When the last waiter has
/// left, the operation is cancelled, unless `runsToCompletion` is set: then it continues, and the next caller joins it.
/// Outcomes are not kept.
///
/// Its code is visible to other modules, which make a copy for their types: 10,000 conversations may wait for one
/// login.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct State {
        @usableFromInline var runs: [Key: SharedRun<Value>] = [:]
        /// The run that was found last: where many wait, most of them wait for the same one.
        @usableFromInline var last: (key: Key, run: SharedRun<Value>)?
        @usableFromInline var gates: [(key: Key, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        @inlinable init() {}

        @inlinable mutating func run(_ key: Key) -> SharedRun<Value>? {
            if let last, last.key == key { return last.run }
            guard let run = runs[key] else { return nil }
            last = (key, run)
            return run
        }

        @inlinable mutating func put(_ run: SharedRun<Value>?, under key: Key) {
            runs[key] = run
            last = nil
        }
    }

    @usableFromInline let state = Mutex(State())

    @inlinable public init() {}

    /// Joins the run for `key`, or starts it.
    ///
    /// - Parameters:
    ///   - runsToCompletion: whether the operation continues when its last waiter has left
    ///   - completed: called with the outcome before any waiter gets it, while the key is still taken
    /// - Throws: the operation's error; `CancellationError` if the waiting task was cancelled
    @inlinable public func join(
        _ key: Key, runsToCompletion: Bool = false,
        completed: @escaping @Sendable (Result<Value, any Error>) -> Void = { _ in },
        operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        let place = state.withLock { state -> SharedRun<Value>.Place? in
            defer { Self.openGates(&state) }
            if let place = state.run(key)?.join() { return place }
            let run = SharedRun<Value>(runsToCompletion: runsToCompletion)
            state.put(run, under: key)
            run.begin(Task { await self.perform(run, key, completed, operation) })
            return run.join()
        }
        guard let place else { throw CancellationError() }
        return try await place.outcome()
    }

    /// Joins the run for `key`; nil if there is none.
    @inlinable public func joinIfRunning(_ key: Key) -> SharedRun<Value>.Place? {
        state.withLock { state in
            defer { Self.openGates(&state) }
            return state.run(key)?.join()
        }
    }

    @inlinable func perform(
        _ run: SharedRun<Value>, _ key: Key, _ completed: @Sendable (Result<Value, any Error>) -> Void,
        _ operation: @Sendable () async throws -> Value
    ) async {
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await operation()) } catch { outcome = .failure(error) }
        if !run.isAbandoned { completed(outcome) }
        state.withLock { state in
            // Another run has taken the place of an abandoned one.
            if state.runs[key] === run { state.put(nil, under: key) }
        }
        run.end(outcome)
    }

    /// The number of waiters for a key.
    @inlinable public func waiterCount(_ key: Key) -> Int { state.withLock { $0.runs[key]?.count ?? 0 } }

    /// Returns when at least `count` callers wait for `key`. Tests use it to hold an operation until all callers have
    /// joined.
    @inlinable public func waitForWaiters(_ count: Int, of key: Key) async {
        await withCheckedContinuation { continuation in
            state.withLock { state in
                state.gates.append((key, count, continuation))
                Self.openGates(&state)
            }
        }
    }

    @inlinable static func openGates(_ state: inout State) {
        guard !state.gates.isEmpty else { return }
        let runs = state.runs
        state.gates.removeAll { gate in
            guard (runs[gate.key]?.count ?? 0) >= gate.count else { return false }
            gate.continuation.resume()
            return true
        }
    }
}
