import HttpConvFormats

/// Lays out JSON as it arrives: each top-level value as soon as it is complete, so that a stream of values stays one.
/// Invalid JSON, and values that are too large for a person, are passed on unchanged.
struct JSONPieces {
    private enum Place {
        case between
        case scalar
        /// In a text, within a number of brackets.
        case text(depth: Int, isEscaped: Bool)
        case container(depth: Int)
    }

    /// The largest value that is laid out, in bytes.
    private static let limit = 1 << 20

    private let style: TerminalStyle
    private var place = Place.between
    /// The bytes that have not been written yet.
    private var pending: [UInt8] = []
    private var hasWritten = false
    private var isRaw = false

    init(_ style: TerminalStyle) { self.style = style }

    /// Takes a chunk. Returns the bytes to write now.
    mutating func take(_ chunk: [UInt8]) -> [UInt8] {
        if isRaw { return chunk }
        var output: [UInt8] = []
        for (index, byte) in chunk.enumerated() {
            // A number ends before the next token.
            if case .scalar = place, byte.isBlank || "[{\"".utf8.contains(byte) { complete(&output) }
            if !isRaw {
                pending.append(byte)
                if advance(byte) { complete(&output) }
                if pending.count > Self.limit { writeRaw(&output) }
            } else {
                output.append(byte)
            }
            if isRaw { return output + chunk[(index + 1)...] }
        }
        return output
    }

    /// Returns the rest.
    mutating func finish() -> [UInt8] {
        var output: [UInt8] = []
        switch place {
        case .between:
            // Blanks alone are not a value, and blanks after a value have no meaning.
            if !hasWritten { output = pending }
        case .scalar: complete(&output)
        case .text, .container: writeRaw(&output)
        }
        pending = []
        return output
    }

    /// - Returns: whether a value is complete
    private mutating func advance(_ byte: UInt8) -> Bool {
        switch place {
        case .between:
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["): place = .container(depth: 1)
            case UInt8(ascii: "\""): place = .text(depth: 0, isEscaped: false)
            case _ where byte.isBlank: break
            default: place = .scalar
            }
        case .scalar: break
        case .text(let depth, let isEscaped):
            if isEscaped || byte == UInt8(ascii: "\\") {
                place = .text(depth: depth, isEscaped: !isEscaped)
            } else if byte == UInt8(ascii: "\"") {
                place = .container(depth: depth)
                return depth == 0
            }
        case .container(let depth):
            switch byte {
            case UInt8(ascii: "\""): place = .text(depth: depth, isEscaped: false)
            case UInt8(ascii: "{"), UInt8(ascii: "["): place = .container(depth: depth + 1)
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                place = .container(depth: depth - 1)
                return depth == 1
            default: break
            }
        }
        return false
    }

    private mutating func complete(_ output: inout [UInt8]) {
        place = .between
        guard let lines = JSONLayout.lines(pending, style) else { return writeRaw(&output) }
        output += lines
        hasWritten = true
        pending = []
    }

    private mutating func writeRaw(_ output: inout [UInt8]) {
        isRaw = true
        output += pending
        pending = []
    }
}
