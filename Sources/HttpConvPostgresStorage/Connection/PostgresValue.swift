#if PostgreSQL
internal import CPostgreSQL
internal import HttpConvPlatform

/// An argument of a statement.
enum PostgresValue: Sendable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])

    /// Calls a function with values, lengths and formats, as libpq expects them.
    static func withArrays<Result>(
        _ arguments: [PostgresValue], _ body: ([UnsafePointer<CChar>?], [Int32], [Int32]) -> Result
    ) -> Result {
        var copies: [UnsafeMutablePointer<CChar>?] = []
        defer { for copy in copies { copy?.deallocate() } }
        var lengths: [Int32] = []
        var formats: [Int32] = []
        for argument in arguments {
            let (bytes, isBinary) = argument.wire
            // Texts end with a zero.
            let copy = bytes.map { bytes in
                let copy = UnsafeMutablePointer<CChar>.allocate(capacity: bytes.count + 1)
                for (index, byte) in bytes.enumerated() { copy[index] = CChar(bitPattern: byte) }
                copy[bytes.count] = 0
                return copy
            }
            copies.append(copy)
            lengths.append(Int32(clamping: bytes?.count ?? 0))
            formats.append(isBinary ? 1 : 0)
        }
        return body(copies.map { UnsafePointer($0) }, lengths, formats)
    }

    private var wire: (bytes: [UInt8]?, isBinary: Bool) {
        switch self {
        case .null: (nil, false)
        case .number(let number): (Array("\(number)".utf8), false)
        case .text(let text): (Array(text.utf8), false)
        case .bytes(let bytes): (bytes, true)
        }
    }
}

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
