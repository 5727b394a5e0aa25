/// Parses a JSON document (RFC 8259) into tokens in one pass, without recursion and without making strings.
struct JSONParser {
    private let bytes: UnsafeBufferPointer<UInt8>
    private let limits: JSONLimits
    private var position = 0
    /// The indices of the open containers' tokens.
    private var open: [Int] = []

    private init(_ bytes: UnsafeBufferPointer<UInt8>, _ limits: JSONLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    static func parse(
        _ bytes: UnsafeBufferPointer<UInt8>, into tokens: inout [JSONToken], limits: JSONLimits
    ) throws(FormatFailure) {
        guard bytes.count < Int(UInt32.max) else { throw FormatFailure("it is too long", isTooLarge: true) }
        var parser = JSONParser(bytes, limits)
        try parser.run(&tokens)
    }

    private mutating func run(_ tokens: inout [JSONToken]) throws(FormatFailure) {
        // A byte order mark may be ignored (RFC 8259 §8.1).
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { position = 3 }
        skipSpace()
        try value(&tokens)
        while let container = open.last {
            let isObject = tokens[container].kind == .object
            let isFirst = tokens.count == container + 1
            skipSpace()
            let byte = try peek()
            if byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
                position += 1
                tokens[container].end = UInt32(position)
                tokens[container].next = UInt32(tokens.count)
                open.removeLast()
                continue
            }
            if !isFirst {
                guard byte == UInt8(ascii: ",") else { throw .notJSON(at: position) }
                position += 1
                skipSpace()
            }
            if isObject {
                guard try peek() == UInt8(ascii: "\"") else { throw .notJSON(at: position) }
                try string(&tokens)
                skipSpace()
                guard try peek() == UInt8(ascii: ":") else { throw .notJSON(at: position) }
                position += 1
                skipSpace()
            }
            try value(&tokens)
        }
        skipSpace()
        guard position == bytes.count else { throw .notJSON(at: position) }
    }

    private mutating func value(_ tokens: inout [JSONToken]) throws(FormatFailure) {
        switch try peek() {
        case UInt8(ascii: "\""): try string(&tokens)
        case UInt8(ascii: "{"): try begin(.object, &tokens)
        case UInt8(ascii: "["): try begin(.array, &tokens)
        case UInt8(ascii: "t"): try word("true", .true, &tokens)
        case UInt8(ascii: "f"): try word("false", .false, &tokens)
        case UInt8(ascii: "n"): try word("null", .null, &tokens)
        default: try number(&tokens)
        }
    }

    private mutating func begin(_ kind: JSONToken.Kind, _ tokens: inout [JSONToken]) throws(FormatFailure) {
        guard open.count < limits.depth else { throw FormatFailure("it is nested too deeply", isTooLarge: true) }
        open.append(tokens.count)
        try add(kind, from: position, to: position, &tokens)
        position += 1
    }

    private mutating func word(
        _ word: StaticString, _ kind: JSONToken.Kind, _ tokens: inout [JSONToken]
    ) throws(FormatFailure) {
        let start = position
        for index in 0..<word.utf8CodeUnitCount {
            guard position < bytes.count, bytes[position] == word.utf8Start[index] else { throw .notJSON(at: position) }
            position += 1
        }
        try add(kind, from: start, to: position, &tokens)
    }

    private mutating func string(_ tokens: inout [JSONToken]) throws(FormatFailure) {
        position += 1
        let start = position
        var isEscaped = false
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\"") {
                try add(.string, from: start, to: position, isEscaped: isEscaped, &tokens)
                position += 1
                return
            }
            if byte == UInt8(ascii: "\\") {
                isEscaped = true
                try escape()
            } else if byte < 0x20 {
                throw .notJSON(at: position)
            } else {
                position += 1
            }
        }
        throw .notJSON(at: position)
    }

    private mutating func escape() throws(FormatFailure) {
        guard position + 1 < bytes.count else { throw .notJSON(at: position) }
        switch bytes[position + 1] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            position += 2
        case UInt8(ascii: "u"):
            guard let unit = JSONText.unit(bytes, at: position) else { throw .notJSON(at: position) }
            // A surrogate needs its other half.
            if (0xD800...0xDBFF).contains(unit) {
                guard let low = JSONText.unit(bytes, at: position + 6), (0xDC00...0xDFFF).contains(low) else {
                    throw .notJSON(at: position)
                }
                position += 6
            } else if (0xDC00...0xDFFF).contains(unit) {
                throw .notJSON(at: position)
            }
            position += 6
        default: throw .notJSON(at: position)
        }
    }

    private mutating func number(_ tokens: inout [JSONToken]) throws(FormatFailure) {
        let start = position
        if try peek() == UInt8(ascii: "-") { position += 1 }
        if try peek() == UInt8(ascii: "0") { position += 1 } else { try digits() }
        if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
            position += 1
            if let sign = bytes.byte(at: position), sign == UInt8(ascii: "+") || sign == UInt8(ascii: "-") {
                position += 1
            }
            try digits()
        }
        try add(.number, from: start, to: position, &tokens)
    }

    private mutating func digits() throws(FormatFailure) {
        let start = position
        while position < bytes.count, bytes[position] &- 0x30 < 10 { position += 1 }
        guard position > start else { throw .notJSON(at: position) }
    }

    private func add(
        _ kind: JSONToken.Kind, from start: Int, to end: Int, isEscaped: Bool = false, _ tokens: inout [JSONToken]
    ) throws(FormatFailure) {
        guard tokens.count < limits.tokens else { throw FormatFailure("it has too many values", isTooLarge: true) }
        tokens.append(
            JSONToken(
                kind: kind, isEscaped: isEscaped, start: UInt32(start), end: UInt32(end), next: UInt32(tokens.count + 1)
            ))
    }

    private mutating func skipSpace() {
        while position < bytes.count, bytes[position].isBlank { position += 1 }
    }

    private func peek() throws(FormatFailure) -> UInt8 {
        guard position < bytes.count else { throw .notJSON(at: position) }
        return bytes[position]
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func byte(at index: Int) -> UInt8? { index < count ? self[index] : nil }
}
