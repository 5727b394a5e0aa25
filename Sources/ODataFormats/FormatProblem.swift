/// Why bytes are not what they should be. The reason quotes nothing of them.
package struct FormatProblem: Error, Sendable {
    /// Such as `it is not valid JSON`: half a sentence.
    package let reason: String
    /// Whether it is only too much.
    package let isTooLarge: Bool
    /// The byte, where it is known.
    package let offset: Int?

    package init(_ reason: String, isTooLarge: Bool = false, offset: Int? = nil) {
        self.reason = reason
        self.isTooLarge = isTooLarge
        self.offset = offset
    }

    static func notJSON(at offset: Int) -> FormatProblem { FormatProblem("it is not valid JSON", offset: offset) }
}
