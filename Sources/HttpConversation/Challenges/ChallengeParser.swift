import HttpConvFormats

/// Reads `WWW-Authenticate` values: several challenges in one field, token68, quoted strings (RFC 9110 §11.6.1).
///
/// Unknown schemes are kept. Challenges whose parameters are larger than 16 KiB are left out, because answers to them
/// would be kept with them. At a syntax error, the challenges read before are kept, and `isComplete` is false.
package struct ChallengeParser {
    /// The limit for the parameters of one challenge, in bytes.
    private static let maximumParameters = 16 << 10
    private let bytes: [UInt8]
    private var index = 0

    package static func parse(_ value: String) -> (challenges: [OfferedChallenge], isComplete: Bool) {
        var parser = ChallengeParser(bytes: Array(value.utf8))
        return parser.parseList()
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private mutating func parseList() -> (challenges: [OfferedChallenge], isComplete: Bool) {
        var challenges: [OfferedChallenge] = []
        while true {
            skipListSeparators()
            if index == bytes.count { return (challenges, true) }
            let start = index
            guard let challenge = parseChallenge() else { return (challenges, false) }
            if challenge.token68 != nil || index - start <= Self.maximumParameters { challenges.append(challenge) }
            skipSpaces()
            guard index == bytes.count || peek == UInt8(ascii: ",") else { return (challenges, false) }
        }
    }

    private mutating func parseChallenge() -> OfferedChallenge? {
        guard let scheme = parseToken() else { return nil }
        guard index == bytes.count || isSpace(peek) || peek == UInt8(ascii: ",") else { return nil }
        skipSpaces()
        if let token68 = parseToken68() { return OfferedChallenge(scheme: scheme, parameters: [], token68: token68) }
        guard let parameters = parseParameters() else { return nil }
        return OfferedChallenge(scheme: scheme, parameters: parameters, token68: nil)
    }

    /// Reads a token68, which ends at a comma or the end; anything else is a parameter.
    private mutating func parseToken68() -> String? {
        let start = index
        while let byte = peek, isToken68(byte) { index += 1 }
        let hasText = index > start
        while peek == UInt8(ascii: "=") { index += 1 }
        let end = index
        skipSpaces()
        if hasText, index == bytes.count || peek == UInt8(ascii: ",") {
            return String(decoding: bytes[start..<end], as: UTF8.self)
        }
        index = start
        return nil
    }

    /// Reads parameters up to the next challenge, which starts with a comma and a token without `=`.
    private mutating func parseParameters() -> [OfferedChallenge.Parameter]? {
        var parameters: [OfferedChallenge.Parameter] = []
        while true {
            let before = index
            skipListSeparators()
            let start = index
            guard let name = parseToken() else {
                index = start
                return index == bytes.count || !parameters.isEmpty ? parameters : nil
            }
            skipSpaces()
            guard peek == UInt8(ascii: "=") else {
                index = before
                return before == start && parameters.isEmpty ? nil : parameters
            }
            index += 1
            skipSpaces()
            guard let value = parseValue() else { return nil }
            let written = String(decoding: bytes[start..<index], as: UTF8.self)
            parameters.append(.init(name: name.lowercased(), value: value, written: written))
            skipSpaces()
            guard index == bytes.count || peek == UInt8(ascii: ",") else { return parameters }
        }
    }

    private mutating func parseValue() -> String? {
        peek == UInt8(ascii: "\"") ? parseQuotedString() : parseLooseToken()
    }

    private mutating func parseQuotedString() -> String? {
        index += 1
        var result: [UInt8] = []
        while let byte = peek {
            index += 1
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: result, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = peek else { return nil }
                result.append(escaped)
                index += 1
            default: result.append(byte)
            }
        }
        return nil
    }

    /// Reads an unquoted value that is not a token, as some servers send it (`domain=/private/`): up to a comma or
    /// space.
    private mutating func parseLooseToken() -> String? {
        let start = index
        while let byte = peek, byte != UInt8(ascii: ","), !isSpace(byte), byte != UInt8(ascii: "\"") { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func parseToken() -> String? {
        let start = index
        while let byte = peek, byte.isTokenByte { index += 1 }
        return index > start ? String(decoding: bytes[start..<index], as: UTF8.self) : nil
    }

    private var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    private mutating func skipSpaces() { while isSpace(peek) { index += 1 } }

    private mutating func skipListSeparators() { while isSpace(peek) || peek == UInt8(ascii: ",") { index += 1 } }

    private func isSpace(_ byte: UInt8?) -> Bool { byte?.isSpaceOrTab == true }

    private func isToken68(_ byte: UInt8) -> Bool { byte.isAlphanumeric || "-._~+/".utf8.contains(byte) }
}
