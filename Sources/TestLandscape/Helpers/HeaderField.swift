/// A header field as it was on the wire.
public struct HeaderField: Sendable, Hashable, Codable {
    /// The name, in the sender's case.
    public let name: String
    /// The value, without the whitespace around it.
    public let value: String
}
