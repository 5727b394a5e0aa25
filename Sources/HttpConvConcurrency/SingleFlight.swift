public import Synchronization

/// Runs one operation per key at a time; callers that ask for the key meanwhile get its outcome.
///
/// The operation runs in its own task. A cancelled waiter leaves and the others continue. When the last waiter has
/// left, the operation is cancelled, unless `runsToCompletion` is set: then it continues, and the next caller joins it.
/// Outcomes are not kept.
///
/// Its code is visible to other modules, which make a copy for their types: 10,000 conversations may wait for one login.
public final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    @usableFromInline struct Flight {
        @usableFromInline let number: Int
        @usableFromInline let runsToCompletion: Bool
        @usableFromInline let task: Task<Void, Never>
        @usableFromInline var waiters: [Int: CheckedContinuation<Value?, any Error>]

        @inlinable init(
            number: Int, runsToCompletion: Bool, task: Task<Void, Never>,
            waiters: [Int: CheckedContinuation<Value?, any Error>]
        ) {
            self.number = number
            self.runsToCompletion = runsToCompletion
            self.task = task
            self.waiters = waiters
        }
    }

    @usableFromInline struct State {
        @usableFromInline var flights: [Key: Flight] = [:]
        @usableFromInline var gates: [(key: Key, count: Int, continuation: CheckedContinuation<Void, Never>)] = []

        @inlinable init() {}
    }

    @usableFromInline let state = Mutex(State())
    @usableFromInline let tickets = Atomic<Int>(0)

    @inlinable public init() {}

    /// Joins the flight for `key`, or starts it.
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
        let value = try await wait(for: key, runsToCompletion: runsToCompletion) { ticket in
            Task { await self.fly(key, ticket, completed, operation) }
        }
        // The flight exists: this call has started one if there was none.
        guard let value else { throw CancellationError() }
        return value
    }

    /// Joins the flight for `key`. Returns nil if there is none.
    @inlinable public nonisolated(nonsending) func joinIfRunning(_ key: Key) async throws -> Value? {
        try await wait(for: key, runsToCompletion: false) { _ in nil }
    }

    @inlinable nonisolated(nonsending) func wait(
        for key: Key, runsToCompletion: Bool, start: (Int) -> Task<Void, Never>?
    ) async throws -> Value? {
        let ticket = tickets.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join(key, ticket, runsToCompletion, $0, start) }
        } onCancel: {
            leave(key, ticket)
        }
    }

    @inlinable func join(
        _ key: Key, _ ticket: Int, _ runsToCompletion: Bool, _ continuation: CheckedContinuation<Value?, any Error>,
        _ start: (Int) -> Task<Void, Never>?
    ) {
        // A task that was cancelled before this point must not wait: its cancellation handler has already run.
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        let openedGates: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            if let flight = state.flights.index(forKey: key) {
                state.flights.values[flight].waiters[ticket] = continuation
            } else {
                guard let task = start(ticket) else { return nil }
                state.flights[key] = Flight(
                    number: ticket, runsToCompletion: runsToCompletion, task: task, waiters: [ticket: continuation])
            }
            return Self.openGates(&state)
        }
        guard let openedGates else { return continuation.resume(returning: nil) }
        for gate in openedGates { gate.resume() }
        // The handler may have run between the check above and the registration: then leave again.
        if Task.isCancelled { leave(key, ticket) }
    }

    @inlinable func fly(
        _ key: Key, _ number: Int, _ completed: @Sendable (Result<Value, any Error>) -> Void,
        _ operation: @Sendable () async throws -> Value
    ) async {
        let result: Result<Value, any Error>
        do { result = .success(try await operation()) } catch { result = .failure(error) }
        guard state.withLock({ $0.flights[key]?.number == number }) else { return }
        completed(result)
        let waiters = state.withLock { state in
            state.flights[key]?.number == number ? state.flights.removeValue(forKey: key)?.waiters : nil
        }
        for waiter in (waiters ?? [:]).values { waiter.resume(with: result.map(Optional.some)) }
    }

    @inlinable func leave(_ key: Key, _ ticket: Int) {
        let (waiter, task) = state.withLock { state -> (CheckedContinuation<Value?, any Error>?, Task<Void, Never>?) in
            let waiter = state.flights[key]?.waiters.removeValue(forKey: ticket)
            guard waiter != nil, let flight = state.flights[key], flight.waiters.isEmpty, !flight.runsToCompletion
            else {
                return (waiter, nil)
            }
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    /// The number of waiters for a key.
    @inlinable public func waiterCount(_ key: Key) -> Int {
        state.withLock { $0.flights[key]?.waiters.count ?? 0 }
    }

    /// Returns when at least `count` callers wait for `key`. Tests use it to hold an operation until all callers have
    /// joined.
    @inlinable public func waitForWaiters(_ count: Int, of key: Key) async {
        await withCheckedContinuation { continuation in
            let opened = state.withLock { state in
                state.gates.append((key, count, continuation))
                return Self.openGates(&state)
            }
            for gate in opened { gate.resume() }
        }
    }

    @inlinable static func openGates(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
        guard !state.gates.isEmpty else { return [] }
        let flights = state.flights
        let isOpen = { (gate: (key: Key, count: Int, continuation: CheckedContinuation<Void, Never>)) in
            (flights[gate.key]?.waiters.count ?? 0) >= gate.count
        }
        let opened = state.gates.filter(isOpen).map(\.continuation)
        state.gates.removeAll(where: isOpen)
        return opened
    }
}
