/// The connections of a vault's handle: one that writes, and some that only read beside it.
final class VaultConnections: Sendable {
    /// The database's path.
    let path: String
    // Released first: a connection that only reads, and is the last, leaves the write-ahead log behind.
    private let readers: [SQLiteThread]
    private let writer: SQLiteThread

    /// - Parameters:
    ///   - path: the database's path
    ///   - writer: the connection that writes
    ///   - readers: how many reads can run beside it; with 0, it reads as well
    ///   - open: opens a connection that only reads
    init(
        _ path: String, writer: sending SQLiteConnection, readers: Int,
        open: @escaping @Sendable () throws -> SQLiteConnection
    ) {
        self.path = path
        self.writer = SQLiteThread(writer)
        self.readers = (0..<readers).map { _ in SQLiteThread(opening: open) }
    }

    /// Runs reads that all see the same state.
    func read<T: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> T) async throws -> T {
        try await (readers.randomElement() ?? writer).run { try $0.transaction(isImmediate: false, body) }
    }

    /// Runs reads and writes as one transaction, after those of all other connections.
    func write<T: Sendable>(_ body: @Sendable (SQLiteConnection) throws -> T) async throws -> T {
        try await writer.run { connection in
            try connection.transaction(isImmediate: true) {
                // It may have waited long for other processes.
                try Task.checkCancellation()
                return try body($0)
            }
        }
    }

    /// Runs statements that cannot be in a transaction.
    func writeWithoutTransaction(_ body: @Sendable (SQLiteConnection) throws -> Void) async throws {
        try await writer.run(body)
    }

    /// Waits for running work, then closes all connections.
    func close() async {
        for reader in readers { await reader.close() }
        await writer.close()
    }
}
