/// The text of a path of OData with literals in the parentheses of its keys: `Rows('a/b')/Lines`.
package enum LiteralPath {
    /// The segments of a path, without its query. A slash or a question mark in a literal belongs to the literal.
    package static func segments(_ path: some StringProtocol) -> [String] {
        let bytes = Array(path.utf8)
        var segments: [[UInt8]] = [[]]
        for (byte, isLiteral) in zip(bytes, literals(bytes)) {
            if byte == UInt8(ascii: "?"), !isLiteral { break }
            if byte == UInt8(ascii: "/"), !isLiteral {
                segments.append([])
            } else {
                segments[segments.count - 1].append(byte)
            }
        }
        return segments.filter { !$0.isEmpty }.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether each byte of a path is in a literal: in quotes within parentheses.
    package static func literals(_ bytes: [UInt8]) -> [Bool] {
        var depth = 0
        var isQuoted = false
        return bytes.map { byte in
            switch byte {
            case UInt8(ascii: "'") where depth > 0: isQuoted.toggle()
            case UInt8(ascii: "(") where !isQuoted: depth += 1
            case UInt8(ascii: ")") where !isQuoted: depth = max(0, depth - 1)
            default: break
            }
            return isQuoted
        }
    }
}
