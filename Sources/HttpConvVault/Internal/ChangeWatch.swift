internal import CSQLite
internal import Synchronization

/// Detects commits to the vault, by this or another process, without reading a record.
///
/// `PRAGMA data_version` changes with the commits of all connections but its own; this connection never commits. It
/// runs before every request and costs one look at the shared memory beside the log, so it calls SQLite directly.
/// Connects when it is first used.
final class ChangeWatch: Sendable {
    private struct State: ~Copyable {
        var connection: ChangeConnection?
        var isClosed = false
    }

    private let path: String
    private let state = Mutex(State())

    init(_ path: String) { self.path = path }

    /// A number that differs after every commit; nil if it cannot be read now.
    var stamp: Int64? {
        state.withLock { state in
            if state.connection == nil, !state.isClosed { state.connection = try? ChangeConnection(path) }
            return state.connection?.stamp()
        }
    }

    func close() {
        state.withLock { state in
            state.connection = nil
            state.isClosed = true
        }
    }
}

/// A connection over SQLite's own interface with one statement; used by one thread at a time.
private struct ChangeConnection: ~Copyable {
    private let database: OpaquePointer
    private let statement: OpaquePointer

    init(_ path: String) throws {
        var database: OpaquePointer?
        var statement: OpaquePointer?
        var code = sqlite3_open_v2(path, &database, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, nil)
        if code == SQLITE_OK {
            code = sqlite3_prepare_v2(database, "PRAGMA data_version", -1, &statement, nil)
        }
        guard code == SQLITE_OK, let database, let statement else {
            // Close even if opening failed; null is harmless.
            sqlite3_close_v2(database)
            throw SQLiteError(code, of: nil)
        }
        self.database = database
        self.statement = statement
    }

    deinit {
        sqlite3_finalize(statement)
        sqlite3_close_v2(database)
    }

    borrowing func stamp() -> Int64? {
        // Ends the read transaction.
        defer { sqlite3_reset(statement) }
        return sqlite3_step(statement) == SQLITE_ROW ? sqlite3_column_int64(statement, 0) : nil
    }
}
