import HttpC
import HttpCTerminal
import HttpConvFormats

/// Reads the format of .netrc files as ftp and curl do: words between blanks, `machine`, `default`, `login`,
/// `password`, `account`, `macdef`; quotes with escapes, and comments from a # at the start of a line.
///
/// An error names the number of a line and nothing else of the file, because any of it may be a secret.
struct NetrcParser {
    private struct Word {
        let text: String
        let line: Int
    }

    private let bytes: [UInt8]
    private let shownPath: String
    private var position = 0
    private var line = 1

    static func parse(_ bytes: [UInt8], shownPath: String) throws(CommandFailure) -> [NetrcEntry] {
        var parser = NetrcParser(bytes: bytes, shownPath: shownPath)
        return try parser.entries()
    }

    private init(bytes: [UInt8], shownPath: String) {
        // Some editors begin a file with a byte order mark.
        self.bytes = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
        self.shownPath = shownPath
    }

    private mutating func entries() throws(CommandFailure) -> [NetrcEntry] {
        var entries: [NetrcEntry] = []
        while let word = try nextWord() {
            switch word.text.lowercased() {
            // The login of an invalid host matches no server.
            case "machine":
                let host = try value(of: word).text
                entries.append(NetrcEntry(host: (try? Origin(scheme: .https, host: host))?.host ?? ""))
            case "default": entries.append(NetrcEntry(host: nil))
            case "login":
                let text = try value(of: word).text
                try change(&entries, word) { $0.login = $0.login ?? text }
            case "password":
                let text = try value(of: word).text
                try change(&entries, word) { $0.password = $0.password ?? Redacted(text) }
            case "account": _ = try value(of: word)
            case "macdef": try skipMacro(word)
            default: throw failure(word.line, "has a word where machine, default, login or password belongs")
            }
        }
        return entries
    }

    private func change(
        _ entries: inout [NetrcEntry], _ word: Word, _ body: (inout NetrcEntry) -> Void
    ) throws(CommandFailure) {
        guard !entries.isEmpty else { throw failure(word.line, "has a login before any machine") }
        body(&entries[entries.count - 1])
    }

    private mutating func value(of word: Word) throws(CommandFailure) -> Word {
        guard let value = try nextWord(isValue: true) else { throw failure(word.line, "ends before its value") }
        return value
    }

    // MARK: Words

    private mutating func nextWord(isValue: Bool = false) throws(CommandFailure) -> Word? {
        var isLineStart = position == 0
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: "\n") {
                line += 1
                isLineStart = true
            } else if byte == UInt8(ascii: "#"), isLineStart, !isValue {
                skipLine()
                continue
            } else if !byte.isBlank {
                return try byte == UInt8(ascii: "\"") ? quoted() : plain()
            }
            position += 1
        }
        return nil
    }

    private mutating func skipLine() {
        while position < bytes.count, bytes[position] != UInt8(ascii: "\n") { position += 1 }
    }

    private mutating func plain() throws(CommandFailure) -> Word {
        let end = bytes[position...].firstIndex(where: \.isBlank) ?? bytes.endIndex
        defer { position = end }
        return try word(Array(bytes[position..<end]))
    }

    private mutating func quoted() throws(CommandFailure) -> Word {
        let start = line
        var text: [UInt8] = []
        position += 1
        while position < bytes.count, bytes[position] != UInt8(ascii: "\"") {
            var byte = bytes[position]
            if byte == UInt8(ascii: "\\"), position + 1 < bytes.count {
                position += 1
                byte = bytes[position]
                switch byte {
                case UInt8(ascii: "n"): byte = 0x0A
                case UInt8(ascii: "r"): byte = 0x0D
                case UInt8(ascii: "t"): byte = 0x09
                default: break
                }
            }
            if bytes[position] == UInt8(ascii: "\n") { break }
            text.append(byte)
            position += 1
        }
        guard position < bytes.count, bytes[position] == UInt8(ascii: "\"") else {
            throw failure(start, "has a quote that does not end")
        }
        position += 1
        guard position == bytes.count || bytes[position].isBlank else {
            throw failure(start, "continues after a quote without a blank")
        }
        return try word(text)
    }

    private func word(_ bytes: [UInt8]) throws(CommandFailure) -> Word {
        // Neither Basic nor Digest can carry control characters.
        guard !bytes.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
            throw failure(line, "has a control character")
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.utf8.elementsEqual(bytes) else { throw failure(line, "is not UTF-8") }
        return Word(text: text, line: line)
    }

    /// Skips a macro of ftp, which ends at an empty line.
    private mutating func skipMacro(_ word: Word) throws(CommandFailure) {
        _ = try value(of: word)
        skipLine()
        while position < bytes.count {
            position += 1
            line += 1
            let start = position
            skipLine()
            if bytes[start..<position].allSatisfy({ $0 == UInt8(ascii: "\r") }) { return }
        }
    }

    private func failure(_ line: Int, _ what: String) -> CommandFailure {
        CommandFailure(.inputFailed, "The file \(shownPath) cannot be used: line \(line) \(what).")
    }
}
