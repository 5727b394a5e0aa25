import HTTPTypes

/// A strong validator (RFC 9110 §8.8.3): equal ones mean equal bytes, so ranges may be put together by it.
///
/// A weak tag and a date do not say that much.
struct EntityTag: Hashable, Sendable {
    /// With its quotes.
    let text: String

    /// Nil for a weak tag, and for what is none.
    init?(strong text: String) {
        let quote = UInt8(ascii: "\"")
        let bytes = Array(text.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == quote, bytes.last == quote else { return nil }
        for byte in bytes[1..<bytes.count - 1] where byte <= 0x20 || byte >= 0x7F || byte == quote { return nil }
        self.text = text
    }

    /// That of a response; nil where there is none, or more than one.
    init?(of fields: HTTPFields) {
        let values = fields[values: .eTag]
        guard let value = values.first, values.count == 1 else { return nil }
        self.init(strong: value)
    }
}
