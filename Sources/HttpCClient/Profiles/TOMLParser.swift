import HttpC
import HttpConvFormats

/// A value of a profile file.
enum TOMLValue {
    case string(String)
    case array([TOMLValue])
    case boolean(Bool)
    case table(TOMLTable)
}

/// A table of a profile file.
final class TOMLTable {
    /// The way in which a table was defined, which decides whether members may be added.
    enum Origin {
        /// By the heading of a table below it.
        case implied
        case heading
        case dottedKey
        case inline
    }

    fileprivate(set) var members: [String: TOMLValue] = [:]
    fileprivate var origin: Origin
    /// The line of its heading or of its first key, from 1.
    fileprivate var line: Int

    fileprivate init(_ origin: Origin, line: Int) {
        self.origin = origin
        self.line = line
    }
}

/// Reads profile files: TOML 1.0 without numbers, dates and lists of tables, which no profile has.
///
/// Written here because TOMLKit's parser ends the process at some invalid files.
struct TOMLParser {
    private static let deepest = 32

    private let bytes: [UInt8]
    private var index = 0
    private var line = 1
    private var lineStart = 0
    private var depth = 0

    /// The tables of a text.
    static func parse(_ text: String) throws(TOMLMistake) -> TOMLTable {
        var parser = TOMLParser(bytes: Array(text.utf8))
        return try parser.document()
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
        if bytes.starts(with: "\u{FEFF}".utf8) { index = 3 }
    }

    private var byte: UInt8? { index < bytes.count ? bytes[index] : nil }

    private func mistake(_ kind: TOMLMistake.Kind = .syntax) -> TOMLMistake {
        TOMLMistake(kind: kind, line: line, column: index - lineStart + 1)
    }

    // MARK: Lines

    private mutating func document() throws(TOMLMistake) -> TOMLTable {
        let root = TOMLTable(.heading, line: 1)
        var table = root
        skipLines()
        while let byte {
            if byte == UInt8(ascii: "[") {
                table = try heading(root)
            } else {
                try assignment(to: table)
            }
            guard skipLines() else { throw mistake() }
        }
        return root
    }

    private mutating func heading(_ root: TOMLTable) throws(TOMLMistake) -> TOMLTable {
        let line = line
        index += 1
        guard byte != UInt8(ascii: "[") else { throw mistake(.tableList) }
        skipBlanks()
        let path = try key()
        guard take("]") else { throw mistake() }
        var table = root
        for name in path.dropLast() { table = try child(name, of: table, by: .implied) }
        let last = path[path.count - 1]
        guard let member = table.members[last] else { return add(last, to: table, by: .heading, line) }
        guard case .table(let known) = member else { throw mistake(.key(last)) }
        guard known.origin == .implied else { throw mistake(.table(path.joined(separator: "."), first: known.line)) }
        (known.origin, known.line) = (.heading, line)
        return known
    }

    /// Reads a key, an equals sign and a value.
    private mutating func assignment(to table: TOMLTable) throws(TOMLMistake) {
        var table = table
        let path = try key()
        for name in path.dropLast() { table = try child(name, of: table, by: .dottedKey) }
        let last = path[path.count - 1]
        guard table.members[last] == nil else { throw mistake(.key(last)) }
        guard take("=") else { throw mistake() }
        skipBlanks()
        table.members[last] = try value()
    }

    /// The table of a name within another one, made if it is missing.
    private func child(_ name: String, of table: TOMLTable, by origin: TOMLTable.Origin) throws(TOMLMistake)
        -> TOMLTable
    {
        guard let member = table.members[name] else { return add(name, to: table, by: origin, line) }
        // A dotted key adds only to tables that dotted keys have made.
        guard case .table(let known) = member, known.origin != .inline, origin == .implied || known.origin == origin
        else { throw mistake(.key(name)) }
        return known
    }

    private func add(_ name: String, to table: TOMLTable, by origin: TOMLTable.Origin, _ line: Int) -> TOMLTable {
        let new = TOMLTable(origin, line: line)
        table.members[name] = .table(new)
        return new
    }

    /// A key of one or more names with dots between them, and the blanks behind it.
    private mutating func key() throws(TOMLMistake) -> [String] {
        var names: [String] = []
        repeat {
            skipBlanks()
            switch byte {
            case UInt8(ascii: "\"")?, UInt8(ascii: "'")?:
                guard !hasLongQuote else { throw mistake() }
                names.append(try string())
            default:
                let name = bytes[index...].prefix { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x5F }
                guard !name.isEmpty else { throw mistake() }
                index = name.endIndex
                names.append(String(decoding: name, as: UTF8.self))
            }
            guard names.count <= Self.deepest else { throw mistake() }
            skipBlanks()
        } while take(".")
        return names
    }

    // MARK: Values

    private mutating func value() throws(TOMLMistake) -> TOMLValue {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else { throw mistake() }
        switch byte {
        case nil, UInt8(ascii: "\n")?, UInt8(ascii: "\r")?, UInt8(ascii: "#")?, UInt8(ascii: ",")?, UInt8(ascii: "]")?,
            UInt8(ascii: "}")?, UInt8(ascii: "=")?:
            throw mistake()
        case UInt8(ascii: "\"")?, UInt8(ascii: "'")?: return .string(try string())
        case UInt8(ascii: "[")?: return .array(try array())
        case UInt8(ascii: "{")?: return .table(try inlineTable())
        default:
            let word = bytes[index...].prefix { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x5F || $0 == 0x2E }
            guard word.elementsEqual("true".utf8) || word.elementsEqual("false".utf8) else {
                throw mistake(.unquotedValue)
            }
            index = word.endIndex
            return .boolean(word.count == 4)
        }
    }

    private mutating func array() throws(TOMLMistake) -> [TOMLValue] {
        var elements: [TOMLValue] = []
        index += 1
        repeat {
            skipLines()
            if byte == UInt8(ascii: "]") { break }
            elements.append(try value())
            skipLines()
        } while take(",")
        guard take("]") else { throw mistake() }
        return elements
    }

    private mutating func inlineTable() throws(TOMLMistake) -> TOMLTable {
        let table = TOMLTable(.inline, line: line)
        index += 1
        skipBlanks()
        if take("}") { return table }
        repeat {
            try assignment(to: table)
            skipBlanks()
        } while take(",")
        guard take("}") else { throw mistake() }
        return table
    }

    // MARK: Strings

    /// Whether three quotes begin here.
    private var hasLongQuote: Bool {
        guard let byte else { return false }
        return bytes[index...].starts(with: [byte, byte, byte])
    }

    /// A string: of one line, or of several between three quotes; with escapes between double quotes.
    private mutating func string() throws(TOMLMistake) -> String {
        let quote = bytes[index]
        let isLong = hasLongQuote
        index += isLong ? 3 : 1
        if isLong { _ = takeLineEnd() }
        var result: [UInt8] = []
        while let byte {
            if byte == quote, !isLong || hasLongQuote {
                // Up to two quotes before the last three belong to the text.
                let count = isLong ? bytes[index...].prefix { $0 == quote }.count : 1
                guard count <= 5 else { throw mistake() }
                index += count
                result += repeatElement(quote, count: isLong ? count - 3 : 0)
                return String(decoding: result, as: UTF8.self)
            }
            if byte == UInt8(ascii: "\\"), quote == UInt8(ascii: "\"") {
                index += 1
                try escape(isLong, into: &result)
            } else if isLong, takeLineEnd() {
                result.append(UInt8(ascii: "\n"))
            } else {
                guard byte >= 0x20 && byte != 0x7F || byte == UInt8(ascii: "\t") else { throw mistake() }
                result.append(byte)
                index += 1
            }
        }
        throw mistake()
    }

    /// Reads the rest of an escape, behind its backslash.
    private mutating func escape(_ isLong: Bool, into result: inout [UInt8]) throws(TOMLMistake) {
        switch byte {
        case UInt8(ascii: "b")?: result.append(0x08)
        case UInt8(ascii: "t")?: result.append(0x09)
        case UInt8(ascii: "n")?: result.append(0x0A)
        case UInt8(ascii: "f")?: result.append(0x0C)
        case UInt8(ascii: "r")?: result.append(0x0D)
        case UInt8(ascii: "\"")?, UInt8(ascii: "\\")?: result.append(bytes[index])
        case UInt8(ascii: "u")?: try scalar(digits: 4, into: &result)
        case UInt8(ascii: "U")?: try scalar(digits: 8, into: &result)
        default:
            // A backslash at the end of a line leaves out the white space up to the next character.
            skipBlanks()
            guard isLong, takeLineEnd() else { throw mistake() }
            repeat { skipBlanks() } while takeLineEnd()
            return
        }
        index += 1
    }

    /// Reads a character's number up to its last digit.
    private mutating func scalar(digits count: Int, into result: inout [UInt8]) throws(TOMLMistake) {
        let digits = bytes[(index + 1)...].prefix(count).compactMap(\.hexDigit)
        let code = digits.reduce(UInt32(0)) { $0 << 4 | UInt32(truncatingIfNeeded: $1) }
        guard digits.count == count, let scalar = Unicode.Scalar(code) else { throw mistake() }
        result += String(scalar).utf8
        index += count
    }

    // MARK: Single bytes

    private mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard byte == UInt8(ascii: character) else { return false }
        index += 1
        return true
    }

    /// Goes behind a line end: LF, or CR LF.
    private mutating func takeLineEnd() -> Bool {
        let isPair = bytes[index...].starts(with: [0x0D, 0x0A])
        guard isPair || byte == 0x0A else { return false }
        index += isPair ? 2 : 1
        line += 1
        lineStart = index
        return true
    }

    private mutating func skipBlanks() {
        while byte?.isSpaceOrTab == true { index += 1 }
    }

    /// Goes behind blanks, comments and line ends. Returns whether there was a line end, or the text has ended.
    @discardableResult
    private mutating func skipLines() -> Bool {
        var hasEnded = false
        repeat {
            skipBlanks()
            if byte == UInt8(ascii: "#") { while let byte, byte != 0x0A { index += 1 } }
            hasEnded = hasEnded || byte == nil || byte == 0x0A || bytes[index...].starts(with: [0x0D, 0x0A])
        } while takeLineEnd()
        return hasEnded
    }
}
