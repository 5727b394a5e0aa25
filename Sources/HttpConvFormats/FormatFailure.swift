/// The reason why bytes cannot be read. It quotes none of them.
package struct FormatFailure: Error, Sendable {
    /// The reason as half a sentence, such as `it is not valid JSON`.
    package let reason: String
    /// Whether the bytes only exceed a limit.
    package let isTooLarge: Bool
    /// The offset of the wrong byte, if known.
    package let offset: Int?

    package init(_ reason: String, isTooLarge: Bool = false, offset: Int? = nil) {
        self.reason = reason
        self.isTooLarge = isTooLarge
        self.offset = offset
    }

    static func notJSON(at offset: Int) -> FormatFailure { FormatFailure("it is not valid JSON", offset: offset) }
}
