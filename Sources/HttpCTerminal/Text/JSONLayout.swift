import HttpC
import HttpConvFormats

/// One JSON value (RFC 8259) laid out for a person: indented, and coloured if wanted. Numbers, texts and the order of
/// keys stay unchanged. A character that a terminal could act upon becomes its escape (security rule S21).
struct JSONLayout {
    private enum Malformed: Error { case malformed }

    /// The limits of depth and of size with indentation, both beyond what people read.
    private static let maximumDepth = 100
    private static let maximumOutput = 8 << 20

    private let bytes: [UInt8]
    private let style: TerminalStyle
    private var position = 0
    private var output: [UInt8] = []

    /// - Returns: nil for invalid JSON, or a value beyond the limits
    static func lines(_ bytes: [UInt8], _ style: TerminalStyle) -> [UInt8]? {
        var layout = JSONLayout(bytes: bytes, style: style)
        do { try layout.document() } catch { return nil }
        return layout.output
    }

    private init(bytes: [UInt8], style: TerminalStyle) {
        self.bytes = bytes
        self.style = style
    }

    private mutating func document() throws(Malformed) {
        try value(depth: 0)
        skipBlanks()
        guard position == bytes.count else { throw .malformed }
        output.append(UInt8(ascii: "\n"))
    }

    // MARK: Values

    private mutating func value(depth: Int) throws(Malformed) {
        skipBlanks()
        switch next {
        case UInt8(ascii: "{"): try container(depth, UInt8(ascii: "}"), isObject: true)
        case UInt8(ascii: "["): try container(depth, UInt8(ascii: "]"), isObject: false)
        case UInt8(ascii: "\""): try text(.green)
        case let byte? where byte == UInt8(ascii: "-") || byte.isASCIIDigit: try number()
        default: try literal()
        }
    }

    private mutating func container(_ depth: Int, _ end: UInt8, isObject: Bool) throws(Malformed) {
        guard depth < Self.maximumDepth, output.count < Self.maximumOutput else { throw .malformed }
        take()
        skipBlanks()
        if next == end { return take() }
        while true {
            indent(depth + 1)
            if isObject {
                skipBlanks()
                guard next == UInt8(ascii: "\"") else { throw .malformed }
                try text(.blue)
                skipBlanks()
                guard next == UInt8(ascii: ":") else { throw .malformed }
                take()
                output.append(0x20)
            }
            try value(depth: depth + 1)
            skipBlanks()
            if next == UInt8(ascii: ",") {
                take()
                guard output.count < Self.maximumOutput else { throw .malformed }
                continue
            }
            guard next == end else { throw .malformed }
            indent(depth)
            return take()
        }
    }

    private mutating func indent(_ depth: Int) {
        output.append(UInt8(ascii: "\n"))
        output.append(contentsOf: repeatElement(0x20, count: 2 * depth))
    }

    // MARK: Tokens

    private mutating func text(_ colour: TerminalStyle.Colour) throws(Malformed) {
        let start = position
        position += 1
        var isPlain = true
        while let byte = next, byte != UInt8(ascii: "\"") {
            guard byte >= 0x20 else { throw .malformed }
            if byte >= 0x7F { isPlain = false }
            if byte == UInt8(ascii: "\\") { try skipEscape() } else { position += 1 }
        }
        guard next != nil else { throw .malformed }
        position += 1
        let token = bytes[start..<position]
        paint(isPlain ? token[...] : try harmless(token)[...], colour)
    }

    private mutating func skipEscape() throws(Malformed) {
        position += 1
        guard let kind = next else { throw .malformed }
        position += 1
        if kind == UInt8(ascii: "u") {
            for _ in 0..<4 {
                guard next?.hexDigit != nil else { throw .malformed }
                position += 1
            }
        } else if !"\"\\/bfnrt".utf8.contains(kind) {
            throw .malformed
        }
    }

    private func harmless(_ token: ArraySlice<UInt8>) throws(Malformed) -> [UInt8] {
        let text = String(decoding: token, as: UTF8.self)
        guard text.utf8.elementsEqual(token) else { throw .malformed }
        guard text.unicodeScalars.contains(where: TerminalText.isControl) else { return Array(token) }
        return Array(TerminalJSON.harmless(text).utf8)
    }

    private mutating func number() throws(Malformed) {
        let start = position
        if next == UInt8(ascii: "-") { position += 1 }
        if next == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if next == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if next == UInt8(ascii: "e") || next == UInt8(ascii: "E") {
            position += 1
            if next == UInt8(ascii: "+") || next == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        paint(bytes[start..<position], .cyan)
    }

    private mutating func digits() throws(Malformed) {
        let start = position
        while let byte = next, byte.isASCIIDigit { position += 1 }
        guard position > start else { throw .malformed }
    }

    private mutating func literal() throws(Malformed) {
        for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return paint(Array(word.utf8)[...], .yellow)
        }
        throw .malformed
    }

    // MARK: Bytes

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func take() {
        output.append(bytes[position])
        position += 1
    }

    private mutating func skipBlanks() {
        while let byte = next, byte.isBlank { position += 1 }
    }

    private mutating func paint(_ token: ArraySlice<UInt8>, _ colour: TerminalStyle.Colour) {
        if style.isColoured { output += "\u{1B}[\(colour.rawValue)m".utf8 }
        output += token
        if style.isColoured { output += "\u{1B}[0m".utf8 }
    }
}
