import HTTPTypes
import HttpConvFormats
import HttpConversation
import NIOCore

/// The head of a response, as both versions of HTTP bring it.
struct ResponseHead: Sendable {
    let status: HTTPResponse.Status
    var fields: HTTPFields
    let version: ProtocolVersion

    var response: HTTPResponse { HTTPResponse(status: status, headerFields: fields) }

    /// Whether the response may have content (RFC 9110 §6.4.1).
    ///
    /// - Parameter isHead: whether it answers `HEAD`
    func mayHaveContent(isHead: Bool) -> Bool { !isHead && status != .noContent && status != .notModified }

    /// Whether the content is a page of HTML.
    var isHTML: Bool { fields[values: .contentType].contains { $0.asciiLowercased.contains("html") } }

    /// Makes one `Content-Length` of several that are equal (RFC 9110 §8.6). Returns false if they are not, or no
    /// numbers.
    mutating func joinLengths() -> Bool {
        guard fields.announcedLength == nil, fields.has(.contentLength) else { return true }
        let lengths = fields[values: .contentLength].flatMap { value in
            value.split(ascii: ",", keepsEmpty: true).map(\.trimmingSpaces)
        }
        guard let first = lengths.first, PeerNumber.integer(first, in: 0...Int.max) != nil,
            lengths.allSatisfy({ $0 == first })
        else { return false }
        fields[.contentLength] = String(first)
        return true
    }

    /// The time for which the server keeps the connection for another request (`Keep-Alive: timeout=5`), less the time
    /// that a request may need to reach it: a second, or half the time if that is shorter. Nil if the server does not
    /// say.
    var keptTime: TimeAmount? {
        guard fields.has(Self.keepAlive) else { return nil }
        for option in fields[values: Self.keepAlive].flatMap({ $0.split(ascii: ",") }) {
            guard let (name, value) = option.cut(atASCII: "="), name.trimmingSpaces.asciiLowercased == "timeout",
                let seconds = PeerNumber.integer(value.trimmingSpaces, clampingTo: 86_400)
            else { continue }
            return max(.milliseconds(500) * seconds, .seconds(1) * (seconds - 1))
        }
        return nil
    }

    // swift-format-ignore: NeverForceUnwrap
    private static let keepAlive = HTTPField.Name("Keep-Alive")!

    /// Whether `Connection` has an option, in lower case (RFC 9110 §7.6.1).
    func hasConnectionOption(_ option: String) -> Bool {
        fields.has(.connection)
            && fields[values: .connection].contains { value in
                value.split(ascii: ",").contains { $0.trimmingSpaces.asciiLowercased == option }
            }
    }
}
