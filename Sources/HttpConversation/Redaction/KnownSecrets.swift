package import HTTPTypes
import HttpConvFormats
import HttpConvPlatform

/// Secrets that a peer has got, hidden in its texts (security rule S20): as they are, percent-encoded, as a form
/// encodes them, or in base64.
///
/// Compares bytes: a combining mark after a secret would hide it from a comparison of characters. White space counts as
/// one space, as in a text from HTML.
package struct KnownSecrets: Sendable {
    /// The longest first, because a shorter one may be a part of it.
    private var patterns: [[UInt8]] = []

    package init(_ secrets: some Sequence<String>) { add(secrets.map { Array($0.utf8) }) }

    /// The credentials in a request's fields: of logins, of cookies, and of fields with names of secrets.
    package init(sentIn fields: HTTPFields) {
        add(fields.flatMap { Self.secrets(in: $0) }.filter { $0.count >= Self.shortest })
    }

    /// A text of a response without the credentials in its request's fields.
    static func hidden(in text: String, sentIn fields: HTTPFields) -> String {
        text.utf8.count < shortest ? text : Self(sentIn: fields).hidden(in: text)
    }

    /// The length of the shortest secret that a request's fields are searched for, in bytes. Shorter ones are common
    /// words.
    private static let shortest = 6

    private static func secrets(in field: HTTPField) -> [[UInt8]] {
        let name = field.name.canonicalName
        switch name {
        case "authorization", "proxy-authorization":
            guard let (scheme, rest) = field.value.cut(atASCII: " ") else { break }
            let credentials = String(rest.trimmingSpaces)
            let texts = [Array(field.value.utf8), Array(credentials.utf8)]
            guard scheme.asciiLowercased == "basic", let octets = Data(base64Encoded: credentials) else { return texts }
            return texts + [Array(octets), Array(octets.drop { $0 != UInt8(ascii: ":") }.dropFirst())]
        case "cookie":
            let values = field.value.split(ascii: ";").compactMap { $0.cut(atASCII: "=")?.after }
            return [Array(field.value.utf8)] + values.map { Array($0.utf8) }
        default:
            guard SecretNames.contains(name) || name.contains(bytesOf: "auth") else { return [] }
        }
        return [Array(field.value.utf8)]
    }

    private mutating func add(_ secrets: [[UInt8]]) {
        var all: Set<[UInt8]> = []
        for secret in secrets {
            let text = Self.collapsed(secret)
            guard !text.isEmpty else { continue }
            all.insert(text)
            let base64 = Data(secret).base64EncodedString().replacing(ascii: ["=": ""])
            all.insert(Array(base64.utf8))
            all.insert(Array(base64.replacing(ascii: ["+": "-", "/": "_"]).utf8))
        }
        patterns = all.sorted { $0.count > $1.count }
    }

    package var isEmpty: Bool { patterns.isEmpty }

    /// The number of comparisons of bytes for one text (security rule S24). A server chooses the text and, by cookies, the
    /// secrets.
    private static let maximumSteps = 1 << 20

    /// A text without these secrets; only the mark if the search takes too long.
    ///
    /// - Parameters:
    ///   - mark: what stands in the place of a secret
    ///   - least: the number of bytes of a secret's beginning that counts as the secret at the end of the text or
    ///     before `…`, where the text may be cut; nil: only whole secrets count
    package func hidden(in text: String, mark: String = "…", beginningsFrom least: Int? = nil) -> String {
        guard !patterns.isEmpty else { return text }
        let bytes = Array(text.utf8)
        var result: [UInt8] = []
        var place = 0
        var isFound = false
        var steps = 0
        while place < bytes.count {
            guard steps < Self.maximumSteps else { return mark }
            if let end = end(of: bytes, from: place, least, &steps) {
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
    private func end(of text: [UInt8], from start: Int, _ least: Int?, _ steps: inout Int) -> Int? {
        for pattern in patterns {
            for isDecoding in [false, true] {
                let (end, count) = Self.match(pattern, text, start, isDecoding: isDecoding)
                steps += count + 1
                if count == pattern.count { return end }
                if let least, count >= least, end == text.count || text[end...].starts(with: "…".utf8) { return end }
            }
        }
        return nil
    }

    /// Compares a secret with a text.
    ///
    /// - Parameter isDecoding: whether the text may be percent-encoded
    /// - Returns: the place behind what is equal in the text, and its length in the secret
    private static func match(
        _ secret: [UInt8], _ text: [UInt8], _ start: Int, isDecoding: Bool
    ) -> (end: Int, count: Int) {
        var place = start
        for (count, byte) in secret.enumerated() {
            guard place < text.count else { return (place, count) }
            if isDecoding, text[place] == UInt8(ascii: "%"), place + 3 > text.count {
                // The text was cut within this byte.
                return (text.count, count)
            }
            let isSpace = byte == 0x20
            if isSpace, Self.isSpace(text[place]) {
                while place < text.count, Self.isSpace(text[place]) { place += 1 }
            } else if isDecoding, isSpace, text[place] == UInt8(ascii: "+") {
                place += 1
            } else if isDecoding, decoded(text, place) == byte {
                place += 3
            } else if text[place] == byte {
                place += 1
            } else {
                return (place, count)
            }
        }
        return (place, secret.count)
    }

    /// The byte that is percent-encoded here.
    private static func decoded(_ text: [UInt8], _ place: Int) -> UInt8? {
        guard text[place] == UInt8(ascii: "%"), place + 2 < text.count, let high = digit(text[place + 1]),
            let low = digit(text[place + 2])
        else { return nil }
        return high << 4 | low
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46, 0x61...0x66: (byte | 0x20) - 0x61 + 10
        default: nil
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    /// The text with each white space as one space, and none at its ends; unchanged if it is not UTF-8.
    private static func collapsed(_ secret: [UInt8]) -> [UInt8] {
        let text = String(decoding: secret, as: UTF8.self)
        guard text.unicodeScalars.contains(where: \.properties.isWhitespace), !text.hasLostBytes else { return secret }
        return Array(
            text.unicodeScalars.split(whereSeparator: \.properties.isWhitespace).map(String.init).joined(separator: " ")
                .utf8)
    }
}
