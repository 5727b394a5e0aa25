import HttpC
import Synchronization

/// Answers 401 Basic until credentials come, at any host; remembers who was sent what.
final class ChallengingTransport: HTTPTransport {
    private let sent = Mutex<[(target: String, authorization: String?)]>([])

    var capabilities: TransportCapabilities { [] }

    /// The URLs that were asked, and those that got credentials.
    var asked: [String] { sent.withLock { $0.map(\.target) } }
    var trusted: [String] { sent.withLock { $0.filter { $0.authorization != nil }.map(\.target) } }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let authorization = request.headerFields[.authorization]
        sent.withLock { $0.append((request.target.absoluteString, authorization)) }
        var head = HTTPResponse(status: authorization == nil ? .unauthorized : .ok)
        if authorization == nil { head.headerFields[.wwwAuthenticate] = "Basic realm=\"r\"" }
        return TransportResponse(head: head, body: ResponseBody())
    }

    func shutdown() async {}
}
