/// What may be part of requests to a mobile server, by bytes.
enum ServiceText {
    static let maximumLength = 256

    static func isApplicationID(_ text: String) -> Bool {
        isShort(text) && text.utf8.allSatisfy { isAlphanumeric($0) || "-._".utf8.contains($0) }
            && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    static func isFieldValue(_ text: String) -> Bool {
        isShort(text) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    }

    /// A connection id travels as field, cookie and key of a URL.
    static func isConnectionID(_ text: String) -> Bool {
        isFieldValue(text) && !text.utf8.contains { "\",;\\".utf8.contains($0) }
    }

    static func isBundleName(_ text: String) -> Bool {
        isShort(text) && text.utf8.allSatisfy { isAlphanumeric($0) || "-._:".utf8.contains($0) }
            && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// A simple identifier of OData, ASCII only.
    static func isPropertyName(_ text: String) -> Bool {
        guard isShort(text), let first = text.utf8.first, !(0x30...0x39).contains(first) else { return false }
        return text.utf8.allSatisfy { isAlphanumeric($0) || $0 == UInt8(ascii: "_") }
    }

    /// A text as the key of an entity: quotes doubled, and percent-encoded.
    static func encodedKey(_ text: String) -> String {
        text.utf8.map { byte in
            if byte == UInt8(ascii: "'") { return "''" }
            if isAlphanumeric(byte) || "-._~".utf8.contains(byte) { return String(UnicodeScalar(byte)) }
            let digits = String(byte, radix: 16, uppercase: true)
            return "%" + (digits.utf8.count < 2 ? "0" : "") + digits
        }.joined()
    }

    /// Whether a path has dot segments, plain or hidden, or separators that are encoded.
    static func mayLeadElsewhere(_ path: Substring) -> Bool {
        let text = path.lowercased()
        if ["%2e", "%2f", "%5c", "\\"].contains(where: { text.contains($0) }) { return true }
        return text.split(separator: "/").contains { segment in
            let name = segment.prefix { $0 != ";" }
            return name == "." || name == ".."
        }
    }

    private static func isShort(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= maximumLength }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
}
