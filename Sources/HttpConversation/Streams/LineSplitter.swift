import HttpConvFormats

/// Splits chunks of bytes into lines, which end in LF, CR or CR LF, even if a chunk ends between the two.
struct LineSplitter: Sendable {
    /// The maximum length of a line, in bytes.
    let limit: Int
    private var chunk: ArraySlice<UInt8> = []
    private var line: [UInt8] = []
    private var skipsLineFeed = false

    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    init(limit: Int) { self.limit = limit }

    /// Adds bytes; call it after ``next()`` has used up the earlier ones.
    mutating func feed(_ bytes: [UInt8]) { chunk = bytes[...] }

    /// The next line; nil if it continues in the next chunk.
    mutating func next() throws(ConversationError) -> [UInt8]? {
        // The line was complete with its CR; it does not wait for an LF.
        if skipsLineFeed, let first = chunk.first {
            skipsLineFeed = false
            if first == Self.lineFeed { chunk.removeFirst() }
        }
        let end = chunk.firstIndex { $0 == Self.lineFeed || $0 == Self.carriageReturn }
        line += chunk[..<(end ?? chunk.endIndex)]
        guard line.count <= limit else {
            throw ConversationError(.tooLarge, "A line of the response body is longer than \(limit) bytes.")
        }
        guard let end else {
            chunk = []
            return nil
        }
        skipsLineFeed = chunk[end] == Self.carriageReturn
        chunk = chunk[(end + 1)...]
        defer { line = [] }
        return line
    }

    /// The bytes after the last line end; nil if there are none.
    mutating func rest() -> [UInt8]? {
        defer { line = [] }
        return line.isEmpty ? nil : line
    }
}
