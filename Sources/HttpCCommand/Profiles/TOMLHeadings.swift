import HttpC

/// Finds the table headings that the TOML parser must not see: it ends the process where a heading's name begins with a
/// character that no name may begin with, such as `[$x]`.
struct TOMLHeadings {
    private let bytes: [UInt8]
    private var index = 0

    /// The line and the column of the first such heading, from 1; nil if there is none.
    static func mistake(in text: String) -> (line: Int, column: Int)? {
        var headings = TOMLHeadings(bytes: Array(text.utf8))
        return headings.firstMistake().map { position in
            let before = headings.bytes[..<position]
            let start = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
            return (before.count { $0 == 0x0A } + 1, position - start + 1)
        }
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func firstMistake() -> Int? {
        var depth = 0
        var isLineStart = true
        while index < bytes.count {
            switch bytes[index] {
            case UInt8(ascii: "\n"):
                isLineStart = true
                index += 1
                continue
            case UInt8(ascii: "["):
                if isLineStart, depth == 0 {
                    if let mistake = heading() { return mistake }
                    continue
                }
                depth += 1
            case UInt8(ascii: "{"): depth += 1
            case UInt8(ascii: "]"), UInt8(ascii: "}"): depth = max(0, depth - 1)
            case UInt8(ascii: "#"):
                skipLine()
                continue
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                skipString()
                isLineStart = false
                continue
            case let byte where byte.isBlank:
                index += 1
                continue
            default: break
            }
            isLineStart = false
            index += 1
        }
        return nil
    }

    /// Reads a heading up to the end of its line. Returns the position of a name that cannot be one.
    private mutating func heading() -> Int? {
        index += 1
        skipBlanks()
        if index < bytes.count, bytes[index] == UInt8(ascii: "[") {
            index += 1
            skipBlanks()
        }
        guard index < bytes.count else { return nil }
        let byte = bytes[index]
        guard byte.isAlphanumeric || "-_\"']".utf8.contains(byte) else { return index }
        skipLine()
        return nil
    }

    private mutating func skipBlanks() {
        while index < bytes.count, bytes[index] == 0x20 || bytes[index] == 0x09 { index += 1 }
    }

    /// Goes to the end of the line.
    private mutating func skipLine() {
        while index < bytes.count, bytes[index] != UInt8(ascii: "\n") { index += 1 }
    }

    /// Goes behind a string: of one line, or of several between three quotes.
    private mutating func skipString() {
        let quote = bytes[index]
        let isLong = bytes[index...].starts(with: [quote, quote, quote])
        let end = isLong ? [quote, quote, quote] : [quote]
        index += end.count
        while index < bytes.count, !bytes[index...].starts(with: end) {
            if !isLong, bytes[index] == UInt8(ascii: "\n") { return }
            index += bytes[index] == UInt8(ascii: "\\") && quote == UInt8(ascii: "\"") ? 2 : 1
        }
        index = min(index + end.count, bytes.count)
    }
}
