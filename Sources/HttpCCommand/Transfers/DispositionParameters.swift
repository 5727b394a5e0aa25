import HttpC
import HttpConvFormats
import HttpConvPlatform

/// The parameters of a `Content-Disposition` (RFC 6266), by bytes.
enum DispositionParameters {
    /// The parameters by names in lower case; the first one of each name counts.
    static func parse(_ field: String) -> [String: String] {
        var rest = Array(field.utf8)[...]
        var result: [String: String] = [:]
        // The disposition type itself does not matter for names.
        rest = rest.drop { $0 != UInt8(ascii: ";") }
        while rest.first == UInt8(ascii: ";") {
            rest = rest.dropFirst().drop(while: \.isSpaceOrTab)
            let name = rest.prefix { !"=;".utf8.contains($0) }
            rest = rest[name.endIndex...]
            guard rest.first == UInt8(ascii: "=") else { continue }
            rest = rest.dropFirst().drop(while: \.isSpaceOrTab)
            let value = value(&rest)
            let key = text(name.filter { !$0.isSpaceOrTab }).lowercased()
            if result[key] == nil { result[key] = value }
            rest = rest.drop { $0 != UInt8(ascii: ";") }
        }
        return result
    }

    /// A token, or a quoted string.
    private static func value(_ rest: inout ArraySlice<UInt8>) -> String {
        guard rest.first == UInt8(ascii: "\"") else {
            let token = rest.prefix { $0 != UInt8(ascii: ";") }
            rest = rest[token.endIndex...]
            return String(text(token).trimmingSpaces)
        }
        var value: [UInt8] = []
        var isEscaped = false
        rest = rest.dropFirst()
        while let byte = rest.popFirst() {
            if isEscaped {
                value.append(byte)
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                break
            } else {
                value.append(byte)
            }
        }
        return text(value)
    }

    /// Decodes a parameter whose name ends in `*` (RFC 8187): `UTF-8'language'percent-encoded`.
    static func decoded(_ value: String) -> String? {
        let parts = value.utf8.split(separator: UInt8(ascii: "'"), maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, text(parts[0]).lowercased() == "utf-8" else { return nil }
        return text(parts[2]).percentDecodedText
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
