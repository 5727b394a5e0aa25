import HttpConvFormats

/// Percent-encoding of text in addresses (RFC 3986 §2.1).
enum PercentEncoding {
    /// Encodes a part of a path or the value of a query option. Parentheses, quotes, commas, colons and asterisks stay:
    /// they belong to OData and mean nothing to URLs.
    static func encoded(_ text: String) -> String {
        Hexadecimal.percentEncoded(text.utf8) { $0.isUnreserved || "'(),:*$@!".utf8.contains($0) }
    }
}
