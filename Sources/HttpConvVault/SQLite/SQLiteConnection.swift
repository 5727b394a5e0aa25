internal import CSQLite

/// A connection to a database over SQLite's C interface (sqlite.org/c3ref/intro.html); used by one thread at a time.
final class SQLiteConnection {
    private var database: OpaquePointer?
    private var statements: [String: SQLiteStatement] = [:]

    /// The maximum number of statements that are kept; a vault has about twenty.
    private static let maximumStatements = 64

    /// Opens a database. `busyTimeout`, in milliseconds, is the time to wait for locks of other connections.
    init(_ path: String, isReadOnly: Bool, mayCreate: Bool = false, busyTimeout: Int32) throws(SQLiteError) {
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | (mayCreate ? SQLITE_OPEN_CREATE : 0)
        let code = sqlite3_open_v2(path, &database, flags, nil)
        guard code == SQLITE_OK else {
            let error = SQLiteError(code, of: database)
            // It exists even if it could not be opened.
            sqlite3_close_v2(database)
            database = nil
            throw error
        }
        sqlite3_busy_timeout(database, busyTimeout)
    }

    deinit { close() }

    /// Closes the connection; later calls fail with `SQLITE_MISUSE`.
    func close() {
        statements = [:]
        // Nothing is left open on it, so this succeeds.
        sqlite3_close_v2(database)
        database = nil
    }

    /// Runs a statement that returns no rows, or whose rows do not matter.
    func execute(_ sql: String, _ values: [SQLiteValue] = []) throws { try forEach(sql, values) { _ in true } }

    /// The first row of a statement.
    func row(_ sql: String, _ values: [SQLiteValue] = []) throws -> StoredRow? {
        var first: StoredRow?
        try forEach(sql, values) {
            first = $0
            return false
        }
        return first
    }

    /// All rows of a statement.
    func rows(_ sql: String, _ values: [SQLiteValue] = []) throws -> [StoredRow] {
        var rows: [StoredRow] = []
        try forEach(sql, values) {
            rows.append($0)
            return true
        }
        return rows
    }

    /// Gives each row of a statement to `body` until it returns false.
    func forEach(_ sql: String, _ values: [SQLiteValue], _ body: (StoredRow) throws -> Bool) throws {
        guard let database else { throw SQLiteError.closed }
        let statement: SQLiteStatement
        if let known = statements[sql] {
            statement = known
        } else {
            statement = try SQLiteStatement(sql, on: database)
            if statements.count >= Self.maximumStatements { statements = [:] }
            statements[sql] = statement
        }
        try statement.run(values, on: database, row: body)
    }

    /// The number of rows that the newest statement inserted, changed or deleted.
    var changes: Int { Int(sqlite3_changes(database)) }

    /// The start of the index of the write-ahead log, in memory that all connections share; nil without such a log.
    /// Valid until the connection is closed.
    var logIndex: UnsafeRawPointer? {
        var file: UnsafeMutablePointer<sqlite3_file>?
        var memory: UnsafeMutableRawPointer?
        guard sqlite3_file_control(database, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK, let file,
            let methods = file.pointee.pMethods, methods.pointee.iVersion >= 2,
            // Maps the first block, as SQLite itself has done.
            methods.pointee.xShmMap(file, 0, Self.logIndexBlock, 0, &memory) == SQLITE_OK
        else { return nil }
        return memory.map { UnsafeRawPointer($0) }
    }

    /// The size of a block of the index, in bytes.
    private static let logIndexBlock: Int32 = 32_768

    /// Runs `body` between `BEGIN` and `COMMIT`; rolls everything back if it throws.
    ///
    /// - Parameters:
    ///   - isImmediate: waits for other writers before `body` runs
    ///   - body: the statements
    func transaction<T>(isImmediate: Bool, _ body: (SQLiteConnection) throws -> T) throws -> T {
        try execute(isImmediate ? "BEGIN IMMEDIATE" : "BEGIN DEFERRED")
        do {
            let result = try body(self)
            try execute("COMMIT")
            return result
        } catch {
            // SQLite may have done it already (sqlite.org/lang_transaction.html).
            if let database, sqlite3_get_autocommit(database) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }
}

extension SQLiteError {
    /// The error of a call that returned `code`.
    init(_ code: Int32, of database: OpaquePointer?) {
        let extended = database.map { sqlite3_extended_errcode($0) } ?? code
        // Some calls return an error that the connection does not note.
        let isNoted = extended & 0xFF == code & 0xFF
        // The connection keeps the number of an earlier error, too.
        let isOfSystem = [SQLITE_IOERR, SQLITE_CANTOPEN].contains(code & 0xFF)
        self.init(
            code: code & 0xFF, extendedCode: isNoted ? extended : code,
            systemNumber: isNoted && isOfSystem ? database.map { sqlite3_system_errno($0) } ?? 0 : 0)
    }
}
