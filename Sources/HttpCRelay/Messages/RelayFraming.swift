import HttpC
import HttpConvFormats
import NIOHTTP1

/// The framing of an answer to the client (RFC 9112 §6.3). The relay makes it itself from the body that it has.
struct RelayFraming: Equatable, Sendable {
    let hasBody: Bool
    /// The value of `Content-Length`; nil for chunks, or for no field at all.
    let length: Int?

    /// - Parameters:
    ///   - announced: the `Content-Length` of the target
    ///   - expected: the length of the body as it arrives
    init(_ status: Int, to method: HTTPRequest.Method, announced: [String], expected: Int?) {
        let isEmpty = status == 204 || status == 304 || status < 200
        hasBody = !isEmpty && method != .head
        if hasBody {
            length = expected
        } else if method == .head, !isEmpty, announced.count == 1, let text = announced.first {
            length = PeerNumber.integer(text, in: 0...Int.max)
        } else {
            length = nil
        }
    }

    func apply(to headers: inout HTTPHeaders) {
        if let length {
            headers.replaceOrAdd(name: "Content-Length", value: "\(length)")
        } else if hasBody {
            headers.replaceOrAdd(name: "Transfer-Encoding", value: "chunked")
        }
    }
}
