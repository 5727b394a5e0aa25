#if PostgreSQL
internal import HttpConvConcurrency
internal import Synchronization

/// A few connections, and the pauses while the database cannot be reached.
///
/// Statements run on threads that may block. One that fails because its connection was lost, or because the database
/// cannot be reached or written for a moment, is repeated until its patience ends: all of them can be repeated.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [Slot] = []
        var waiting: [CheckedContinuation<Slot?, Never>] = []
        var isClosed = false
        /// The number of failures since the last success.
        var failures = 0
        /// The end of the pause after a failure.
        var retryAt: ContinuousClock.Instant?
        var lastError: PostgresStorageError?
        var roundTrips = 0
    }

    /// The place of a connection, used by one statement at a time.
    final class Slot: Sendable {
        let connection = Mutex<PostgresConnection?>(nil)
    }

    private let state: Mutex<State>
    private let parameters: ConnectionParameters
    private let configuration: PostgresConfiguration
    /// More statements than this would wait for longer than their callers.
    private static let longestQueue = 10_000

    init(_ configuration: PostgresConfiguration) throws(PostgresStorageError) {
        guard (1...100).contains(configuration.connections), configuration.timeout >= .milliseconds(1) else {
            throw PostgresStorageError(
                .invalidConfiguration, "A storage has 1 to 100 connections, and a timeout of at least a millisecond.")
        }
        parameters = try ConnectionParameters(configuration)
        self.configuration = configuration
        state = Mutex(State(idle: (0..<configuration.connections).map { _ in Slot() }))
    }

    /// A connection of its own, on this thread.
    func connect() throws(PostgresStorageError) -> PostgresConnection {
        try PostgresConnection.open(parameters, configuration)
    }

    /// Runs statements that may be repeated.
    ///
    /// - Parameter patience: how long to repeat them while the database cannot be reached or written
    func run<Value: Sendable>(
        patience: Duration,
        _ body: @escaping @Sendable (borrowing PostgresConnection) throws(PostgresStorageError) -> Value
    ) async throws(PostgresStorageError) -> Value {
        let deadline = ContinuousClock.now + patience
        while true {
            try await pause(until: deadline)
            let slot = try await take()
            let outcome = await Blocking.run { self.attempt(slot, body) }
            give(slot)
            switch outcome {
            case .success(let value): return value
            case .failure(let failure):
                guard failure.error.isTemporary else { throw failure.error }
                // An idle connection may have ended long ago, which says nothing about the database.
                if failure.isOfIdleConnection { continue }
                note(failure.error)
                guard ContinuousClock.now < deadline else { throw failure.error }
            }
        }
    }

    private struct Failure: Error {
        let error: PostgresStorageError
        let isOfIdleConnection: Bool
    }

    private func attempt<Value: Sendable>(
        _ slot: Slot, _ body: @Sendable (borrowing PostgresConnection) throws(PostgresStorageError) -> Value
    ) -> Result<Value, Failure> {
        slot.connection.withLock { connection in
            let wasIdle = connection != nil
            do throws(PostgresStorageError) {
                if connection == nil { connection = try connect() }
                guard let value = try connection?.perform(body) else {
                    throw PostgresStorageError(.unavailable, "There is no connection to the database.")
                }
                noteSuccess()
                return .success(value)
            } catch {
                // The connection was lost, or the database had ended it.
                let isLost = connection?.isLost ?? true || error.sqlState?.hasPrefix("57P0") == true
                // After a timeout an answer may still come, and a primary that became read-only may have a successor.
                if isLost || error.isTemporary { connection = nil }
                return .failure(Failure(error: error, isOfIdleConnection: wasIdle && isLost))
            }
        }
    }

    // MARK: Slots

    private func take() async throws(PostgresStorageError) -> Slot {
        let slot: Slot? = await withCheckedContinuation { continuation in
            let answer: Slot?? = state.withLock { state in
                if state.isClosed { return .some(nil) }
                if let slot = state.idle.popLast() { return slot }
                guard state.waiting.count < Self.longestQueue else { return .some(nil) }
                state.waiting.append(continuation)
                return nil
            }
            if let answer { continuation.resume(returning: answer) }
        }
        if let slot { return slot }
        guard !isClosed else { throw Self.closed }
        throw PostgresStorageError(.unavailable, "Too many operations wait for the database. Try again later.")
    }

    private func give(_ slot: Slot) {
        let (next, isClosed) = state.withLock { state in
            if !state.isClosed, !state.waiting.isEmpty {
                return (Optional(state.waiting.removeFirst()), false)
            }
            state.idle.append(slot)
            return (nil, state.isClosed)
        }
        if isClosed { slot.connection.withLock { $0 = nil } }
        next?.resume(returning: slot)
    }

    /// Closes the connections, each once its statement has ended. Later statements throw `.closed`.
    func close() {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (state.idle, state.waiting)
        }
        for slot in idle { slot.connection.withLock { $0 = nil } }
        for waiter in waiting { waiter.resume(returning: nil) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    static var closed: PostgresStorageError { PostgresStorageError(.closed, "The token database was closed.") }

    // MARK: Pauses

    /// Whether a pause after a failure is on: an attempt now would fail.
    var isAway: Bool { state.withLock { $0.retryAt.map { $0 > .now } ?? false } }

    /// The latest failure since the last success.
    var lastError: PostgresStorageError? { state.withLock { $0.lastError } }

    private func pause(until deadline: ContinuousClock.Instant) async throws(PostgresStorageError) {
        while true {
            let (retryAt, error, isClosed) = state.withLock { ($0.retryAt, $0.lastError, $0.isClosed) }
            guard !isClosed else { throw Self.closed }
            guard let retryAt, retryAt > .now else { return }
            if let error, retryAt > deadline { throw error }
            // In a task of its own: a write goes on though its task was cancelled.
            await Task { try? await Task.sleep(until: retryAt) }.value
        }
    }

    func note(_ error: PostgresStorageError) {
        state.withLock { state in
            state.lastError = error
            // Statements that fail at the same time are one failure.
            if let retryAt = state.retryAt, retryAt > .now { return }
            state.failures = min(state.failures + 1, 6)
            let pause = Duration.milliseconds(25) * (1 << state.failures)
            state.retryAt = .now + pause * Double.random(in: 0.5...1)
        }
    }

    func noteSuccess() {
        state.withLock { state in
            state.roundTrips += 1
            guard state.failures > 0 || state.lastError != nil else { return }
            (state.failures, state.retryAt, state.lastError) = (0, nil, nil)
        }
    }

    /// The number of operations that the database has answered.
    var roundTrips: Int { state.withLock { $0.roundTrips } }
}

extension PostgresConnection {
    /// Calls a function with this connection; for optionals, whose value cannot be borrowed otherwise.
    borrowing func perform<Value>(
        _ body: (borrowing PostgresConnection) throws(PostgresStorageError) -> Value
    ) throws(PostgresStorageError) -> Value {
        try body(self)
    }
}
#endif
