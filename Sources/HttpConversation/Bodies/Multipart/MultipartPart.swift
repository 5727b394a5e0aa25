import HTTPTypes
import HttpConvFormats

/// One field or file of a form that is sent as `multipart/form-data` (RFC 7578).
///
/// ```swift
/// let body = try RequestBody.multipart([
///     .field("title", "Report of May"),
///     .file("attachment", .file(URL(filePath: "report.pdf")), filename: "report.pdf", contentType: "application/pdf"),
/// ])
/// ```
public struct MultipartPart: Sendable {
    /// The part's header section, with the empty line at the end.
    let head: [UInt8]
    /// The field's name, for error messages.
    let name: String
    let body: RequestBody

    /// Creates a part with any body.
    ///
    /// Quotes, carriage returns and line feeds in names are percent-encoded, as browsers do.
    ///
    /// - Parameters:
    ///   - name: the field's name
    ///   - body: the part's body; if it has no length, the whole form has none and is sent chunked
    ///   - filename: a name that makes servers treat the part as a file
    ///   - contentType: the media type; defaults to the body's, else none
    /// - Throws: ``ConversationError/Code/invalidRequest`` for other control characters in a name, or an invalid media
    ///   type
    public init(
        name: String, _ body: RequestBody, filename: String? = nil, contentType: String? = nil
    ) throws(ConversationError) {
        var head = "Content-Disposition: form-data; name=\"\(try Self.escaped(name))\""
        if let filename { head += "; filename=\"\(try Self.escaped(filename))\"" }
        head += "\r\n"
        if let type = contentType ?? body.contentType {
            head += "Content-Type: \(try HTTPField(.contentType, checking: type).value)\r\n"
        }
        self.head = Array((head + "\r\n").utf8)
        self.name = name
        self.body = body
    }

    /// A text field, as UTF-8 and without a media type, as browsers send it.
    public static func field(_ name: String, _ value: String) throws(ConversationError) -> MultipartPart {
        try MultipartPart(name: name, .text(value))
    }

    /// A file field.
    ///
    /// - Parameters:
    ///   - name: the field's name
    ///   - body: the file's contents
    ///   - filename: the name for the server; it need not be the name of a local file
    ///   - contentType: the media type
    public static func file(
        _ name: String, _ body: RequestBody, filename: String, contentType: String = "application/octet-stream"
    ) throws(ConversationError) -> MultipartPart {
        try MultipartPart(name: name, body, filename: filename, contentType: contentType)
    }

    /// Escapes a name as the HTML standard's form encoding does, so that it cannot end its quotes or its line. Compares
    /// bytes: a character may hide a quote behind a combining mark.
    private static func escaped(_ name: String) throws(ConversationError) -> String {
        var bytes: [UInt8] = []
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "\""): bytes += "%22".utf8
            case 0x0D: bytes += "%0D".utf8
            case 0x0A: bytes += "%0A".utf8
            case 0..<0x20, 0x7F:
                throw ConversationError(
                    .invalidRequest,
                    "The name \"\(TerminalText.sanitise(name))\" of a form's part has a control character.")
            default: bytes.append(byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
