import HttpC
import HttpCTerminal

/// The head of the answer for -D, -i and -I. The person asked for it, so nothing is redacted, but all of it is
/// sanitised.
enum UnredactedHead {
    static func text(_ head: HTTPResponse, _ version: ProtocolVersion?) -> String {
        // HTTP/2 has no reason (RFC 9113 §8.3.2). The space before it stays (RFC 9112 §4).
        let reason = version == .http2 ? "" : sanitise(head.status.reasonPhrase, limit: 1000)
        var text = "\(version ?? .http11) \(head.status.code) \(reason)\r\n"
        for field in head.headerFields {
            let name = TerminalText.sanitise(field.name.rawName, limit: 1000)
            text += "\(name): \(sanitise(field.value, limit: 1 << 20))\r\n"
        }
        return text + "\r\n"
    }

    /// Leaves tabs, which are part of a value and harmless on a terminal.
    private static func sanitise(_ text: String, limit: Int) -> String {
        text.split(separator: "\t", omittingEmptySubsequences: false).map {
            TerminalText.sanitise(String($0), limit: limit)
        }.joined(separator: "\t")
    }
}
