#if PostgreSQL
internal import Dispatch
internal import Synchronization

/// A few connections, and the pauses while the database cannot be reached.
///
/// Statements run on threads that may block. All of them can be repeated. A statement that fails because its connection
/// was lost, or because the database cannot be reached or written for a moment, is repeated until its patience ends.
///
/// After a failure the database counts as away until an operation succeeds. Meanwhile one operation at a time tries,
/// after a pause, and the others wait for it.
final class PostgresPool: Sendable {
    private struct State {
        var idle: [Slot] = []
        var waiting: [Waiter] = []
        var lastWaiter = 0
        var isClosed = false
        /// The number of failures since the last success.
        var failures = 0
        /// The time of the latest failure, or of the success after it.
        var changedAt: ContinuousClock.Instant?
        /// The end of the pause after a failure.
        var retryAt: ContinuousClock.Instant?
        /// Whether an operation tries whether the database is back.
        var isProbing = false
        var lastError: PostgresStorageError?
        var roundTrips = 0

        /// The reason not to try now. The end of a probe is not known.
        var obstacle: (error: PostgresStorageError, end: ContinuousClock.Instant?)? {
            guard failures > 0, let lastError else { return nil }
            if let retryAt, retryAt > .now { return (lastError, retryAt) }
            return isProbing ? (lastError, nil) : nil
        }

        mutating func note(_ error: PostgresStorageError, since start: ContinuousClock.Instant) {
            if let changedAt, start < changedAt { return }
            changedAt = .now
            lastError = error
            failures += 1
            retryAt = .now + RetryPause.after(failures: failures)
        }
    }

    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Slot?, Never>
    }

    /// The place of a connection, used by one statement at a time.
    ///
    /// Its queue has a thread of its own: the threads of the global queues are few, and others need them.
    final class Slot: Sendable {
        let connection = Mutex<PostgresConnection?>(nil)
        private let queue = DispatchQueue(label: "httpconv-postgres-connection")

        func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
            await withCheckedContinuation { continuation in
                queue.async { continuation.resume(returning: body()) }
            }
        }
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
    /// - Parameters:
    ///   - patience: how long to repeat them while the database cannot be reached or written
    ///   - isCancellable: whether a cancelled task stops waiting; a statement that has begun runs to its end
    func run<Value: Sendable>(
        patience: Duration, isCancellable: Bool = false,
        _ body: @escaping @Sendable (borrowing PostgresConnection) throws(PostgresStorageError) -> Value
    ) async throws(PostgresStorageError) -> Value {
        let deadline = ContinuousClock.now + patience
        while true {
            try await pause(until: deadline, isCancellable)
            let slot = try await take(isCancellable)
            let start = ContinuousClock.now
            guard start < deadline + configuration.timeout else {
                give(slot)
                throw Self.busy
            }
            // The database may have gone while this operation waited for a connection.
            guard mayBegin() else {
                give(slot)
                continue
            }
            let outcome = await slot.run { self.attempt(slot, body) }
            state.withLock { state in
                state.isProbing = false
                if case .failure(let error) = outcome, error.isTemporary { state.note(error, since: start) }
            }
            give(slot)
            switch outcome {
            case .success(let value): return value
            case .failure(let error):
                guard error.isTemporary, ContinuousClock.now < deadline else { throw error }
            }
        }
    }

    /// Runs statements that only read or that take a lease: a cancelled task stops waiting for the database.
    func runCancellably<Value: Sendable>(
        patience: Duration,
        _ body: @escaping @Sendable (borrowing PostgresConnection) throws(PostgresStorageError) -> Value
    ) async throws -> Value {
        do { return try await run(patience: patience, isCancellable: true, body) } catch {
            try Task.checkCancellation()
            throw error
        }
    }

    private func attempt<Value: Sendable>(
        _ slot: Slot, _ body: @Sendable (borrowing PostgresConnection) throws(PostgresStorageError) -> Value
    ) -> Result<Value, PostgresStorageError> {
        slot.connection.withLock { connection in
            while true {
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
                    // After a timeout an answer may still come, and a primary that became read-only may have a
                    // successor.
                    if isLost || error.isTemporary { connection = nil }
                    // An idle connection may have ended long ago, which says nothing about the database.
                    if wasIdle, isLost, error.isTemporary { continue }
                    if error.sqlState != nil, !error.isTemporary { noteSuccess() }
                    return .failure(error)
                }
            }
        }
    }

    // MARK: Slots

    private func take(_ isCancellable: Bool) async throws(PostgresStorageError) -> Slot {
        let number = state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        let slot: Slot? = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Slot?? = state.withLock { state in
                    if state.isClosed || isCancellable && Task.isCancelled { return .some(nil) }
                    if let slot = state.idle.popLast() { return slot }
                    guard state.waiting.count < Self.longestQueue else { return .some(nil) }
                    state.waiting.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            if isCancellable { leave(number) }
        }
        if let slot { return slot }
        guard !isClosed else { throw Self.closed }
        throw isCancellable && Task.isCancelled ? Self.cancelled : Self.busy
    }

    /// Ends the wait of a cancelled task.
    private func leave(_ number: Int) {
        let waiter = state.withLock { state in
            state.waiting.firstIndex { $0.number == number }.map { state.waiting.remove(at: $0) }
        }
        waiter?.continuation.resume(returning: nil)
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
        next?.continuation.resume(returning: slot)
    }

    /// Closes the connections, each once its statement has ended. Later statements throw `.closed`.
    func close() {
        let (idle, waiting) = state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [] }
            return (state.idle, state.waiting)
        }
        for slot in idle { slot.connection.withLock { $0 = nil } }
        for waiter in waiting { waiter.continuation.resume(returning: nil) }
    }

    var isClosed: Bool { state.withLock { $0.isClosed } }

    static var closed: PostgresStorageError { PostgresStorageError(.closed, "The token database was closed.") }

    private static var busy: PostgresStorageError {
        PostgresStorageError(.unavailable, "Too many operations wait for the database. Try again later.")
    }

    private static var cancelled: PostgresStorageError {
        PostgresStorageError(.unavailable, "The task was cancelled.", underlyingError: CancellationError())
    }

    // MARK: Pauses

    /// Whether the database has failed, and has answered nothing since.
    var isAway: Bool { state.withLock { $0.failures > 0 } }

    /// Whether an operation may try now whether the database is back.
    var mayProbe: Bool { state.withLock { $0.failures > 0 && $0.obstacle == nil } }

    /// The latest failure since the last success.
    var lastError: PostgresStorageError? { state.withLock { $0.lastError } }

    private func pause(
        until deadline: ContinuousClock.Instant, _ isCancellable: Bool
    ) async throws(PostgresStorageError) {
        var step = Duration.milliseconds(10)
        while true {
            let (obstacle, isClosed) = state.withLock { ($0.obstacle, $0.isClosed) }
            guard !isClosed else { throw Self.closed }
            guard let obstacle else { return }
            guard obstacle.end ?? .now < deadline else { throw obstacle.error }
            guard !isCancellable || !Task.isCancelled else { throw Self.cancelled }
            let end = min(obstacle.end ?? deadline, .now + step)
            // In a task of its own: a write goes on though its task was cancelled.
            await Task { try? await Task.sleep(until: end) }.value
            // The pause ends earlier if another operation succeeds.
            step = min(step * 2, .milliseconds(200))
        }
    }

    /// Whether an operation may begin now. While the database is away, one may, and the others wait for it.
    private func mayBegin() -> Bool {
        state.withLock { state in
            guard !state.isClosed, state.obstacle == nil else { return false }
            state.isProbing = state.failures > 0
            return true
        }
    }

    /// Notes that the database has failed.
    ///
    /// - Parameter start: the start of the attempt. Attempts that had started before the latest failure, or before the
    ///   success after it, say nothing new.
    func note(_ error: PostgresStorageError, since start: ContinuousClock.Instant) {
        state.withLock { $0.note(error, since: start) }
    }

    func noteSuccess() {
        state.withLock { state in
            state.roundTrips += 1
            guard state.failures > 0 || state.lastError != nil else { return }
            (state.failures, state.retryAt, state.lastError) = (0, nil, nil)
            state.changedAt = .now
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
