import Foundation
import HttpC
import Synchronization

/// Answers 401 until credentials come, at any host, and `/to?URL` with a redirect. Records every request.
final class ChallengingTransport: HTTPTransport {
    private let sent = Mutex<[(target: String, authorization: String?)]>([])

    private let challenge: String
    /// Whether the redirect needs credentials as well.
    private let guardsRedirect: Bool

    init(_ challenge: String = "Basic realm=\"r\"", guardsRedirect: Bool = false) {
        self.challenge = challenge
        self.guardsRedirect = guardsRedirect
    }

    /// The users of Basic logins, in order.
    var users: [String] {
        sent.withLock { $0.compactMap(\.authorization) }.compactMap { value in
            Data(base64Encoded: String(value.dropFirst("Basic ".count))).flatMap { login in
                String(decoding: login, as: UTF8.self).split(separator: ":").first.map(String.init)
            }
        }
    }

    var capabilities: TransportCapabilities { [] }

    /// The requested URLs; `trusted` has those that got credentials.
    var asked: [String] { sent.withLock { $0.map(\.target) } }
    var trusted: [String] { sent.withLock { $0.filter { $0.authorization != nil }.map(\.target) } }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let authorization = request.headerFields[.authorization]
        sent.withLock { $0.append((request.target.absoluteString, authorization)) }
        if request.target.path.hasSuffix("/to"), authorization != nil || !guardsRedirect {
            let location = String(request.target.query ?? "/")
            return TransportResponse(
                head: HTTPResponse(status: .found, headerFields: [.location: location]), body: ResponseBody())
        }
        var head = HTTPResponse(status: authorization == nil ? .unauthorized : .ok)
        if authorization == nil { head.headerFields[.wwwAuthenticate] = challenge }
        return TransportResponse(head: head, body: ResponseBody())
    }

    func shutdown() async {}
}
