#if PostgreSQL
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
#endif
