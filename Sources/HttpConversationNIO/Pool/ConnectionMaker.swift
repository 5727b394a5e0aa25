import NIOCore

/// Makes the connections of a pool.
protocol ConnectionMaker: Sendable {
    /// The loops to run on.
    var loops: ConnectionLoops { get }
    /// Starts to make a connection. The pool hears the result.
    func start(_ attempt: ConnectAttempt, for pool: ConnectionPool)
}
