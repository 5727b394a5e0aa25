internal import CSQLite

/// A prepared statement over SQLite's C interface (sqlite.org/c3ref/stmt.html); used by one thread at a time, and
/// released before its connection is closed.
final class SQLiteStatement {
    private let statement: OpaquePointer

    /// Prepares the first statement of a text.
    init(_ sql: String, on database: OpaquePointer) throws(SQLiteError) {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(database, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw SQLiteError(code, of: database) }
        self.statement = statement
    }

    deinit { sqlite3_finalize(statement) }

    /// Runs the statement; `row` gets each of its rows until it returns false.
    func run(
        _ values: [SQLiteValue], on database: OpaquePointer, row: (StoredRow) throws -> Bool
    ) throws {
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() {
            let code = bind(value, at: Int32(index + 1))
            guard code == SQLITE_OK else { throw SQLiteError(code, of: database) }
        }
        while true {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                guard code == SQLITE_DONE else { throw SQLiteError(code, of: database) }
                return
            }
            let columns = (0..<sqlite3_column_count(statement)).map(column)
            guard try row(StoredRow(columns)) else { return }
        }
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        // SQLite copies the value before the call returns (SQLITE_TRANSIENT, a macro that Swift does not import).
        let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        switch value {
        case .null, .real: return sqlite3_bind_null(statement, index)
        case .number(let number): return sqlite3_bind_int64(statement, index, number)
        // An empty array may have no address, which would bind null.
        case .bytes(let bytes) where bytes.isEmpty: return sqlite3_bind_zeroblob(statement, index, 0)
        case .bytes(let bytes):
            return bytes.withUnsafeBytes {
                sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copies)
            }
        case .text(let text):
            return sqlite3_bind_text64(statement, index, text, UInt64(text.utf8.count), copies, UInt8(SQLITE_UTF8))
        }
    }

    private func column(_ index: Int32) -> SQLiteValue {
        switch sqlite3_column_type(statement, index) {
        case SQLITE_INTEGER: return .number(sqlite3_column_int64(statement, index))
        case SQLITE_BLOB:
            // The address first: it may convert the value, which changes its length.
            let address = sqlite3_column_blob(statement, index)
            let count = Int(sqlite3_column_bytes(statement, index))
            return .bytes(Array(UnsafeRawBufferPointer(start: address, count: address == nil ? 0 : count)))
        case SQLITE_TEXT:
            let address = sqlite3_column_text(statement, index)
            let count = Int(sqlite3_column_bytes(statement, index))
            return .text(
                String(decoding: UnsafeBufferPointer(start: address, count: address == nil ? 0 : count), as: UTF8.self))
        case SQLITE_FLOAT: return .real
        default: return .null
        }
    }
}
