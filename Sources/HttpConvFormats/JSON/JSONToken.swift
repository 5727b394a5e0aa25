/// A token of a JSON document: its kind and its range in the bytes.
package struct JSONToken: Sendable {
    package enum Kind: UInt8, Sendable { case null, `true`, `false`, number, string, array, object }

    package let kind: Kind
    /// Whether a string has escapes.
    package let isEscaped: Bool
    /// The token's first byte; for a string, the first one after the quote.
    package let start: UInt32
    package internal(set) var end: UInt32
    /// The index of the first token after this one and its content.
    package internal(set) var next: UInt32

    package var range: Range<Int> { Int(start)..<Int(end) }
}
