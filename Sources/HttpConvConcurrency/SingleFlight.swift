import Synchronization

/// Runs one operation per key at a time; everybody who asks for the key meanwhile gets its outcome.
///
/// The operation runs in a task of its own: a waiter that is cancelled leaves, the others go on, and when the last one
/// has left the operation is cancelled, unless it has to land: then it goes on, and whoever asks next joins it. Outcomes
/// are not kept.
package final class SingleFlight<Key: Hashable & Sendable, Value: Sendable>: Sendable {
    private struct Flight {
        let number: Int
        let mustLand: Bool
        var task: Task<Void, Never>?
        var waiters: [Int: CheckedContinuation<Value?, any Error>] = [:]
    }

    private struct State {
        var flights: [Key: Flight] = [:]
        var nextNumber = 0
        var gates: [(key: Key, count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    package init() {}

    /// Joins the flight for `key`, or starts it.
    ///
    /// - Parameters:
    ///   - mustLand: whether the operation goes on when nobody waits for it any more
    ///   - landed: called with the outcome before anybody gets it, while the key is still taken
    /// - Throws: the operation's error; `CancellationError` where the waiting task was cancelled
    package func join(
        _ key: Key, mustLand: Bool = false, landed: @escaping @Sendable (Result<Value, any Error>) -> Void = { _ in },
        operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let value = try await wait(for: key, mustLand: mustLand) { ticket in
            Task { await self.fly(key, ticket, landed, operation) }
        }
        // There was a flight: this one at least.
        guard let value else { throw CancellationError() }
        return value
    }

    /// Joins the flight for `key` if there is one; nil where there is none.
    package func joinIfFlying(_ key: Key) async throws -> Value? {
        try await wait(for: key, mustLand: false) { _ in nil }
    }

    private func wait(
        for key: Key, mustLand: Bool, start: (Int) -> Task<Void, Never>?
    ) async throws -> Value? {
        let ticket = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { join(key, ticket, mustLand, $0, start) }
        } onCancel: {
            leave(key, ticket)
        }
    }

    private func join(
        _ key: Key, _ ticket: Int, _ mustLand: Bool, _ continuation: CheckedContinuation<Value?, any Error>,
        _ start: (Int) -> Task<Void, Never>?
    ) {
        // A task that was cancelled before it got here has no handler call to come: it must not wait.
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        let openedGates: [CheckedContinuation<Void, Never>]? = state.withLock { state in
            if state.flights[key] == nil {
                guard let task = start(ticket) else { return nil }
                state.flights[key] = Flight(number: ticket, mustLand: mustLand, task: task)
            }
            state.flights[key]?.waiters[ticket] = continuation
            return Self.openGates(&state)
        }
        guard let openedGates else { return continuation.resume(returning: nil) }
        for gate in openedGates { gate.resume() }
        // The handler may have run between the check above and the entry: leave again if so.
        if Task.isCancelled { leave(key, ticket) }
    }

    private func fly(
        _ key: Key, _ number: Int, _ landed: @Sendable (Result<Value, any Error>) -> Void,
        _ operation: @Sendable () async throws -> Value
    ) async {
        let result: Result<Value, any Error>
        do { result = .success(try await operation()) } catch { result = .failure(error) }
        guard state.withLock({ $0.flights[key]?.number == number }) else { return }
        landed(result)
        let waiters = state.withLock { state in
            state.flights[key]?.number == number ? state.flights.removeValue(forKey: key)?.waiters : nil
        }
        for waiter in (waiters ?? [:]).values { waiter.resume(with: result.map(Optional.some)) }
    }

    private func leave(_ key: Key, _ ticket: Int) {
        let (waiter, task) = state.withLock { state -> (CheckedContinuation<Value?, any Error>?, Task<Void, Never>?) in
            let waiter = state.flights[key]?.waiters.removeValue(forKey: ticket)
            guard waiter != nil, let flight = state.flights[key], flight.waiters.isEmpty, !flight.mustLand else {
                return (waiter, nil)
            }
            return (waiter, state.flights.removeValue(forKey: key)?.task)
        }
        task?.cancel()
        waiter?.resume(throwing: CancellationError())
    }

    /// How many wait for a key now.
    package func waiterCount(_ key: Key) -> Int {
        state.withLock { $0.flights[key]?.waiters.count ?? 0 }
    }

    /// Returns once at least `count` wait for `key`: tests hold an operation until everybody has joined.
    package func waitForWaiters(_ count: Int, of key: Key) async {
        await withCheckedContinuation { continuation in
            let opened = state.withLock { state in
                state.gates.append((key, count, continuation))
                return Self.openGates(&state)
            }
            for gate in opened { gate.resume() }
        }
    }

    private static func openGates(_ state: inout State) -> [CheckedContinuation<Void, Never>] {
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
