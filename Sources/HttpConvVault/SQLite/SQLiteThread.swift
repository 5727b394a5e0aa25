internal import Dispatch

/// A connection whose work runs one by one, on threads that may block.
actor SQLiteThread {
    private let executor = QueueExecutor()
    private let open: @Sendable () throws -> SQLiteConnection
    private var connection: SQLiteConnection?
    private var isClosed = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// Takes an open connection.
    init(_ connection: sending SQLiteConnection) {
        self.connection = connection
        open = { throw SQLiteError.closed }
    }

    /// Opens a connection when it is first used.
    init(opening open: @escaping @Sendable () throws -> SQLiteConnection) { self.open = open }

    /// Runs work with the connection, unless the task was cancelled while it waited for its turn.
    func run<T: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> T) throws -> T {
        try Task.checkCancellation()
        guard !isClosed else { throw SQLiteError.closed }
        let connection = try self.connection ?? open()
        self.connection = connection
        return try body(connection)
    }

    /// Closes the connection; later work throws ``SQLiteError/closed``.
    func close() {
        isClosed = true
        connection?.close()
        connection = nil
    }
}

/// A queue of Dispatch as an executor.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "DataVault", qos: .userInitiated)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}
