/// A word to search for in the bytes of a page, before the page is parsed.
struct PageWord: Sendable {
    private let narrow: ByteNeedle
    private let littleEndian: ByteNeedle
    private let bigEndian: ByteNeedle

    /// The word of all pages with a password field: its type.
    static let password = PageWord("password", rarest: "w", ignoresCase: true)

    /// - Parameters:
    ///   - text: ASCII; in lower case if `ignoresCase` is true
    ///   - rarest: the character of the text that is the least common one in pages
    init(_ text: String, rarest: Unicode.Scalar, ignoresCase: Bool = false) {
        narrow = ByteNeedle(text, .narrow, rarest: rarest, ignoresCase: ignoresCase)
        littleEndian = ByteNeedle(text, .littleEndian, rarest: rarest, ignoresCase: ignoresCase)
        bigEndian = ByteNeedle(text, .bigEndian, rarest: rarest, ignoresCase: ignoresCase)
    }

    /// Whether the joined chunks of a page contain it.
    ///
    /// - Parameter widths: the widths that the page's characters may have
    func isIn(_ chunks: [[UInt8]], _ widths: [ByteNeedle.Width]) -> Bool {
        widths.contains { width in
            switch width {
            case .narrow: narrow.isIn(chunks)
            case .littleEndian: littleEndian.isIn(chunks)
            case .bigEndian: bigEndian.isIn(chunks)
            }
        }
    }
}
