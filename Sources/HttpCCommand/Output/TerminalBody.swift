import HttpC

/// A body on its way to a person's terminal: laid out where it is JSON, refused where it is none that can be read.
struct TerminalBody {
    private var json: JSONPieces?
    /// Bytes that have been looked at.
    private var seen = 0

    /// - Parameters:
    ///   - head: of the answer, which says what it is
    ///   - options: what the person wants of it
    init(_ head: HTTPResponse, _ options: OutputOptions) {
        let isWanted = !options.noPretty && !options.noBuffer && !options.events
        guard isWanted, Self.isJSON(head.headerFields[.contentType] ?? "") else { return }
        json = JSONPieces(options.style(descriptor: 1))
    }

    /// What is to be written of a chunk.
    mutating func take(_ chunk: [UInt8]) throws(ConversationError) -> [UInt8] {
        // As curl does: a NUL near the start is no text.
        if seen < Self.suspicion, chunk.prefix(Self.suspicion - seen).contains(0) {
            throw ConversationError(
                .outputFailed,
                "The answer is binary, and could mess up your terminal: --output FILE saves it, --output - prints it here all the same."
            )
        }
        seen += chunk.count
        return json?.take(chunk) ?? chunk
    }

    /// What is left to be written.
    mutating func finish() -> [UInt8] { json?.finish() ?? [] }

    private static let suspicion = 2000

    /// `application/json` and what ends in `+json` (RFC 6839), but for sequences of lines and records.
    private static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.prefix(upToASCII: ";").lowercased().trimmingSpaces
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
