#if PostgreSQL
internal import CPostgreSQL

/// The rows of an answer, in the binary format.
struct PostgresRows: Sendable {
    private let rows: [[[UInt8]?]]

    init(_ result: OpaquePointer) {
        rows = (0..<PQntuples(result)).map { row in
            (0..<PQnfields(result)).map { column in
                guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column) else {
                    return nil
                }
                let count = Int(exactly: PQgetlength(result, row, column)) ?? 0
                return Array(UnsafeRawBufferPointer(start: start, count: count))
            }
        }
    }

    var isEmpty: Bool { rows.isEmpty }

    /// The rows as values that check their form.
    var all: [PostgresRow] { rows.map(PostgresRow.init) }
    var first: PostgresRow? { rows.first.map(PostgresRow.init) }
}

/// A row; throws `.damaged` if it is not of the form expected.
struct PostgresRow: Sendable {
    private let columns: [[UInt8]?]

    init(_ columns: [[UInt8]?]) { self.columns = columns }

    func bytesIfPresent(_ index: Int) throws(PostgresStorageError) -> [UInt8]? {
        guard index < columns.count else { throw Self.unexpected }
        return columns[index]
    }

    func bytes(_ index: Int) throws(PostgresStorageError) -> [UInt8] {
        guard let bytes = try bytesIfPresent(index) else { throw Self.unexpected }
        return bytes
    }

    /// An integer of four or eight bytes.
    func number(_ index: Int) throws(PostgresStorageError) -> Int64 {
        let bytes = try bytes(index)
        guard bytes.count == 8 || bytes.count == 4 else { throw Self.unexpected }
        // The sign comes first.
        let sign: Int64 = (bytes[0] & 0x80) == 0 ? 0 : -1
        return bytes.reduce(sign) { $0 << 8 | Int64(truncatingIfNeeded: $1) }
    }

    private static var unexpected: PostgresStorageError {
        PostgresStorageError(
            .damaged, "A row of the database is not of the form it was written in. It can be overwritten or deleted.")
    }
}
#endif
