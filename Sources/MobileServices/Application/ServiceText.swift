import HttpConvFormats
import HttpConversation

/// Checks and encodes parts of requests to a mobile server, by bytes.
enum ServiceText {
    static let maximumLength = 256

    static func isApplicationID(_ text: String) -> Bool {
        isShort(text) && text.utf8.allSatisfy { $0.isAlphanumeric || "-._".utf8.contains($0) }
            && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    static func isFieldValue(_ text: String) -> Bool {
        isShort(text) && text.isVisibleASCII
    }

    /// Whether a text can be a connection id: it is sent as field, cookie and key of a URL.
    static func isConnectionID(_ text: String) -> Bool {
        isFieldValue(text) && !text.utf8.contains { "\",;\\".utf8.contains($0) }
    }

    static func isBundleName(_ text: String) -> Bool {
        isShort(text) && text.utf8.allSatisfy { $0.isAlphanumeric || "-._:".utf8.contains($0) }
            && !text.utf8.allSatisfy { $0 == UInt8(ascii: ".") }
    }

    /// Whether a text is a simple identifier of OData, ASCII only.
    static func isPropertyName(_ text: String) -> Bool {
        guard isShort(text), let first = text.utf8.first, !first.isASCIIDigit else { return false }
        return text.utf8.allSatisfy { $0.isAlphanumeric || $0 == UInt8(ascii: "_") }
    }

    /// A text as the key of an entity: quotes doubled, and percent-encoded.
    static func encodedKey(_ text: String) -> String {
        let quote = UInt8(ascii: "'")
        let doubled = text.utf8.flatMap { $0 == quote ? [quote, quote] : [$0] }
        return Hexadecimal.percentEncoded(doubled) { $0.isUnreserved || $0 == quote }
    }

    /// Whether a path has dot segments, plain or encoded, or encoded separators.
    static func mayLeavePath(_ path: Substring) -> Bool {
        let text = path.lowercased()
        if ["%2e", "%2f", "%5c", "\\"].contains(where: { text.contains($0) }) { return true }
        return text.split(separator: "/").contains { segment in
            let name = segment.prefix { $0 != ";" }
            return name == "." || name == ".."
        }
    }

    private static func isShort(_ text: String) -> Bool { !text.isEmpty && text.utf8.count <= maximumLength }
}
