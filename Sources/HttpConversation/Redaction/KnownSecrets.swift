package import HTTPTypes
import HttpConvFormats
import HttpConvPlatform

/// Secrets that a peer has got, hidden in its texts (security rule S20): as they are, percent-encoded, as a form
/// encodes them, in base64, with the escapes of HTML and JSON, and in UTF-8 or Latin-1 whichever was sent.
///
/// Compares bytes: a combining mark after a secret would hide it from a comparison of characters. White space counts as
/// one space, as in a text from HTML.
package struct KnownSecrets: Sendable {
    /// The longest first, because a shorter one may be a part of it.
    private var patterns: [[UInt8]] = []
    /// The same by their first byte, so that few are compared with each place of a text.
    private var patternsByFirst: [UInt8: [[UInt8]]] = [:]
    /// The secrets as they were added.
    private var secrets: Set<[UInt8]> = []
    private var byteCount = 0
    /// Whether there were more secrets than are searched for. Then any text may have one.
    private var areTooMany = false

    package init(_ secrets: some Sequence<String>) { add(secrets.map { Array($0.utf8) }) }

    /// The credentials in a request's fields: of logins, of cookies, and of fields with names of secrets.
    package init(sentIn fields: HTTPFields) { add(sentIn: fields) }

    /// Adds the credentials in the fields of another request.
    mutating func add(sentIn fields: HTTPFields) {
        add(fields.flatMap { Self.secrets(in: $0) }.filter { $0.count >= Self.shortest })
    }

    /// Adds secrets that were sent elsewhere.
    mutating func add(_ others: [String]) {
        add(others.map { Array($0.utf8) }.filter { $0.count >= Self.shortest })
    }

    /// The length of the shortest secret that a request's fields are searched for, in bytes. Shorter ones are common
    /// words.
    static let shortest = 6
    /// The length of the longest `Cookie` field that is searched for as a whole, in bytes. Servers choose its length by
    /// their cookies, which are searched for one by one in any case.
    private static let longestCookieField = 1 << 16
    /// The greatest number of bytes of secrets that are searched for (security rule S24). A server may replace its cookies
    /// by each redirect, and every observed message keeps those so far.
    private static let maximumBytes = 1 << 20

    private static func secrets(in field: HTTPField) -> [[UInt8]] {
        let name = field.name.canonicalName
        switch name {
        case "authorization", "proxy-authorization":
            guard let (scheme, rest) = field.value.cut(atASCII: " ") else { break }
            let credentials = String(rest.trimmingSpaces)
            let texts = [Array(field.value.utf8), Array(credentials.utf8)]
            if scheme.asciiLowercased == "digest" { return texts + responses(inDigest: credentials) }
            guard scheme.asciiLowercased == "basic", let octets = Data(base64Encoded: credentials) else { return texts }
            return texts + [Array(octets), Array(octets.drop { $0 != UInt8(ascii: ":") }.dropFirst())]
        case "cookie":
            let values = field.value.split(ascii: ";").compactMap { $0.cut(atASCII: "=")?.after }
            let whole = field.value.utf8.count <= longestCookieField ? [Array(field.value.utf8)] : []
            return whole + values.map { Array($0.utf8) }
        default:
            guard SecretNames.contains(name) || name.contains(bytesOf: "auth") else { return [] }
        }
        return [Array(field.value.utf8)]
    }

    /// The `response` of Digest, from which a password can be guessed.
    private static func responses(inDigest credentials: String) -> [[UInt8]] {
        credentials.split(ascii: ",").compactMap { part in
            guard let (name, value) = part.cut(atASCII: "="), name.trimmingSpaces.asciiLowercased == "response" else {
                return nil
            }
            return Array(value.trimmingSpaces.utf8).filter { $0 != UInt8(ascii: "\"") }
        }
    }

    private mutating func add(_ found: [[UInt8]]) {
        guard !areTooMany else { return }
        let new = found.filter { secrets.insert($0).inserted }
        guard !new.isEmpty else { return }
        byteCount += new.reduce(0) { $0 + $1.count }
        guard byteCount <= Self.maximumBytes else {
            (patterns, patternsByFirst, secrets, areTooMany) = ([], [:], [], true)
            return
        }
        // Known secrets are not hashed again: each request of a conversation adds its own.
        var added: Set<[UInt8]> = []
        for secret in new.flatMap(Self.inBothCharsets) {
            let text = Self.collapsed(secret)
            guard !text.isEmpty else { continue }
            added.insert(text)
            let base64 = Data(secret).base64EncodedString().replacing(ascii: ["=": ""])
            added.insert(Array(base64.utf8))
            added.insert(Array(base64.replacing(ascii: ["+": "-", "/": "_"]).utf8))
        }
        patterns = (patterns + added).sorted { $0.count > $1.count }
        patternsByFirst = Dictionary(grouping: patterns) { Self.first($0[0]) }
    }

    /// A secret in UTF-8 and in Latin-1, and the text that is made of Latin-1 where UTF-8 is expected. Servers repeat
    /// text in a charset of their own.
    private static func inBothCharsets(_ secret: [UInt8]) -> [[UInt8]] {
        guard secret.contains(where: { $0 >= 0x80 }) else { return [secret] }
        let text = String(validating: secret, as: UTF8.self)
        let latin1 = text == nil ? secret : text?.data(using: .isoLatin1).map { Array($0) }
        guard let latin1 else { return [secret] }
        let utf8 = text ?? String(String.UnicodeScalarView(latin1.map { Unicode.Scalar($0) }))
        return [Array(utf8.utf8), latin1, Array(String(decoding: latin1, as: UTF8.self).utf8)]
    }

    /// The byte under which patterns with this first byte are found.
    private static func first(_ byte: UInt8) -> UInt8 { byte.isASCIISpace ? 0x20 : byte }

    /// The patterns that may begin at a place of a text.
    private func patterns(beginningAt place: Int, of text: [UInt8]) -> [[UInt8]] {
        let first = Self.first(text[place])
        let plain = patternsByFirst[first] ?? []
        let meant = first == UInt8(ascii: "+") ? 0x20 : Self.decoded(text, place).map { Self.first($0.byte) }
        guard let meant, meant != first, let decoded = patternsByFirst[meant] else { return plain }
        return plain.isEmpty ? decoded : (plain + decoded).sorted { $0.count > $1.count }
    }

    package var isEmpty: Bool { patterns.isEmpty && !areTooMany }

    /// The number of comparisons of bytes for the texts of one message (security rule S24). A server chooses them and, by
    /// cookies, the secrets.
    private static let maximumSteps = 1 << 20

    /// A text without these secrets; only the mark if the search takes too long, or if there were too many secrets.
    ///
    /// - Parameters:
    ///   - mark: what stands in the place of a secret
    ///   - least: the number of bytes of a secret's beginning that counts as the secret at the end of the text or
    ///     before `…`, where the text may be cut; nil: only whole secrets count
    package func hidden(in text: String, mark: String = "…", beginningsFrom least: Int? = nil) -> String {
        var steps = 0
        return hidden(in: text, mark, least.map { Cuts(least: $0, areMarked: false) }, &steps)
    }

    /// The texts of one message without these secrets, which `…` may cut; only marks once the search takes too long, or
    /// if there were too many secrets.
    func hidden(in texts: [String]) -> [String] {
        var steps = 0
        return texts.map { hidden(in: $0, "…", Self.marked, &steps) }
    }

    /// The places at which a text may be cut within a secret.
    private struct Cuts {
        /// The number of bytes of a secret's beginning that counts as the secret.
        let least: Int
        /// Whether `…` is behind each cut; otherwise the text may also end with one.
        let areMarked: Bool

        /// Whether a beginning of so many bytes counts as the secret. A short secret is nearly shown by a long
        /// beginning, so its half counts. Its first word alone may be the name of a scheme or a cookie.
        func hides(_ count: Int, of secret: [UInt8]) -> Bool {
            if count >= least { return true }
            guard count >= max(KnownSecrets.shortest, secret.count / 2) else { return false }
            let word = secret.prefix(least).firstIndex { $0 == 0x20 || $0 == UInt8(ascii: "=") }
            return word.map { count > $0 + 1 } ?? true
        }

        func has(_ text: [UInt8], _ place: Int) -> Bool {
            text[place...].starts(with: "…".utf8) || !areMarked && place == text.count
        }
    }

    /// Shorter beginnings of the fields with logins are the names of schemes, such as `Negotiate`.
    private static let marked = Cuts(least: 12, areMarked: true)

    private func hidden(in text: String, _ mark: String, _ cuts: Cuts?, _ steps: inout Int) -> String {
        if areTooMany { return text.isEmpty ? text : mark }
        guard !patterns.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var place = 0
        var isFound = false
        while place < bytes.count {
            guard steps < Self.maximumSteps else { return mark }
            if let end = end(of: bytes, from: place, cuts, &steps) {
                isFound = true
                result += mark.utf8
                place = end
            } else {
                result.append(bytes[place])
                place += 1
            }
        }
        return isFound ? String(decoding: result, as: UTF8.self) : text
    }

    /// The end of a secret that begins here; nil if there is none.
    private func end(of text: [UInt8], from start: Int, _ cuts: Cuts?, _ steps: inout Int) -> Int? {
        steps += 1
        for pattern in patterns(beginningAt: start, of: text) {
            for isDecoding in [false, true] {
                let (end, count) = Self.match(pattern, text, start, isDecoding: isDecoding)
                steps += count + 1
                if count == pattern.count { return end }
                if let cuts, cuts.has(text, end), cuts.hides(count, of: pattern) { return end }
            }
        }
        return nil
    }

    /// Compares a secret with a text.
    ///
    /// - Parameter isDecoding: whether the text may be percent-encoded or escaped
    /// - Returns: the place behind what is equal in the text, and its length in the secret
    private static func match(
        _ secret: [UInt8], _ text: [UInt8], _ start: Int, isDecoding: Bool
    ) -> (end: Int, count: Int) {
        var place = start
        // A byte that is equal, and may also begin an escaped one that the text's limit has cut.
        var escape: (place: Int, count: Int)?
        for (count, byte) in secret.enumerated() {
            guard place < text.count else { return (place, count) }
            let isSpace = byte == 0x20
            if isSpace, text[place].isASCIISpace {
                while place < text.count, text[place].isASCIISpace { place += 1 }
            } else if isDecoding, isSpace, text[place] == UInt8(ascii: "+") {
                place += 1
            } else if isDecoding, let (decoded, length) = decoded(text, place), decoded == byte {
                place += length
            } else if text[place] == byte {
                if isDecoding, cut(text, within: place) != place { escape = (place, count) }
                place += 1
            } else {
                guard isDecoding else { return (place, count) }
                if let escape { return (cut(text, within: escape.place), escape.count) }
                return (cut(text, within: place), count)
            }
        }
        return (place, secret.count)
    }

    /// The place where the text was cut within the escaped byte that begins here; the same place if it was not.
    private static func cut(_ text: [UInt8], within start: Int) -> Int {
        let length: Int
        switch text[start] {
        case UInt8(ascii: "%"): length = 3
        case UInt8(ascii: "&"): length = longestEntity
        case UInt8(ascii: "\\"): length = 6
        default: return start
        }
        let places = start + 1..<start + length
        return places.first { $0 >= text.count || text[$0...].starts(with: "…".utf8) } ?? start
    }

    /// The byte that is percent-encoded here, or escaped as in HTML or JSON.
    private static func decoded(_ text: [UInt8], _ place: Int) -> (byte: UInt8, length: Int)? {
        switch text[place] {
        case UInt8(ascii: "%"):
            guard place + 2 < text.count, let high = text[place + 1].hexDigit, let low = text[place + 2].hexDigit
            else { return nil }
            return (high << 4 | low, 3)
        case UInt8(ascii: "&"): return entity(text, place)
        case UInt8(ascii: "\\"):
            guard place + 1 < text.count else { return nil }
            let next = text[place + 1]
            guard next == UInt8(ascii: "u") else { return "\"\\/".utf8.contains(next) ? (next, 2) : nil }
            return number(text[(place + 2)...].prefix(4), radix: 16).map { ($0, 6) }
        default: return nil
        }
    }

    /// The longest character reference that is read, in bytes.
    private static let longestEntity = 8

    /// The byte of a character reference of HTML.
    private static func entity(_ text: [UInt8], _ place: Int) -> (byte: UInt8, length: Int)? {
        let part = text[place...].prefix(longestEntity)
        guard let end = part.firstIndex(of: UInt8(ascii: ";")) else { return nil }
        let name = part[(place + 1)..<end]
        let length = end + 1 - place
        if name.first == UInt8(ascii: "#") {
            let isHexadecimal = name.dropFirst().first.map { $0 | 0x20 == UInt8(ascii: "x") } ?? false
            return number(name.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10).map { ($0, length) }
        }
        return entities[String(decoding: name, as: UTF8.self)].map { ($0, length) }
    }

    private static let entities: [String: UInt8] = ["amp": 0x26, "lt": 0x3C, "gt": 0x3E, "quot": 0x22, "apos": 0x27]

    /// The ASCII character of a number.
    private static func number(_ digits: ArraySlice<UInt8>, radix: Int) -> UInt8? {
        UInt8(String(decoding: digits, as: UTF8.self), radix: radix).flatMap { $0 < 0x80 ? $0 : nil }
    }

    /// The text with each white space as one space, and none at its ends; unchanged if it is not UTF-8.
    private static func collapsed(_ secret: [UInt8]) -> [UInt8] {
        // Most have no space and no byte of a longer one, which takes long to see in the text's characters.
        guard secret.contains(where: { $0.isASCIISpace || $0 >= 0x80 }) else { return secret }
        let text = String(decoding: secret, as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.properties.isWhitespace), !text.hasLostBytes else { return secret }
        return Array(
            text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init).joined(separator: " ")
                .utf8)
    }
}
