package import HttpC
import HttpConvFormats

/// A body for a person's terminal: JSON is laid out, and binary data are refused.
package struct TerminalBody {
    private var json: JSONPieces?
    /// The number of checked bytes.
    private var seen = 0

    /// - Parameters:
    ///   - head: the answer's head, which has the media type
    ///   - layout: the style of JSON; nil to print it unchanged
    package init(_ head: HTTPResponse, _ layout: TerminalStyle?) {
        guard let layout, Self.isJSON(head.headerFields[.contentType] ?? "") else { return }
        json = JSONPieces(layout)
    }

    /// Takes a chunk. Returns the bytes to write.
    mutating func take(_ chunk: [UInt8]) throws(ConversationError) -> [UInt8] {
        // As in curl, a NUL near the start means binary data.
        if seen < Self.suspicion, chunk.prefix(Self.suspicion - seen).contains(0) {
            throw ConversationError(
                .outputFailed,
                "The answer is binary, and could mess up your terminal: --output FILE saves it, --output - prints it here all the same."
            )
        }
        seen += chunk.count
        return json?.take(chunk) ?? chunk
    }

    /// Returns the rest.
    mutating func finish() -> [UInt8] { json?.finish() ?? [] }

    private static let suspicion = 2000

    /// Whether a type is `application/json`, `text/json`, or ends in `+json` (RFC 6839). Sequences of lines or records
    /// are not JSON.
    private static func isJSON(_ contentType: String) -> Bool {
        let type = contentType.mediaType
        return type == "application/json" || type == "text/json" || type.hasSuffix("+json")
    }
}
