/// A piece of a JSON document: what it is, and where in the bytes it stands.
package struct JSONToken: Sendable {
    package enum Kind: UInt8, Sendable { case null, `true`, `false`, number, string, array, object }

    package let kind: Kind
    /// Of a string: whether escapes are in it.
    package let isEscaped: Bool
    /// Of a string: between the quotes.
    package let start: UInt32
    package internal(set) var end: UInt32
    /// The index of the first token after it and all that is in it.
    package internal(set) var next: UInt32

    package var range: Range<Int> { Int(start)..<Int(end) }
}
