import HTTPTypes
import HttpConvFormats

/// A strong validator (RFC 9110 §8.8.3): equal tags mean equal bytes, so ranges with the same tag may be combined.
///
/// A weak tag or a date does not guarantee that.
struct EntityTag: Hashable, Sendable {
    /// The tag with its quotes.
    let text: String

    /// Returns nil for a weak or invalid tag.
    init?(strong text: String) {
        let quote = UInt8(ascii: "\"")
        let bytes = Array(text.utf8)
        guard bytes.count >= 2, bytes.count <= 1024, bytes.first == quote, bytes.last == quote else { return nil }
        for byte in bytes[1..<bytes.count - 1] where byte <= 0x20 || byte >= 0x7F || byte == quote { return nil }
        self.text = text
    }

    /// The tag of a response. Returns nil if there is none, or more than one.
    init?(of fields: HTTPFields) {
        let values = fields[values: .eTag]
        guard let value = values.first, values.count == 1 else { return nil }
        self.init(strong: value)
    }
}
