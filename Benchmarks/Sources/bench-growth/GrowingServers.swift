import HTTPTypes
import HttpConversation
import HttpConversationNIO
import Synchronization

/// Servers without a network, any number of them; or one in front of a real server, for all but its tokens.
///
/// Paths: `/protected` wants a password, `/bearer` a token, `/renewed` sets a cookie, and `/token` is a token endpoint.
final class GrowingServers: HTTPTransport {
    let capabilities: TransportCapabilities = [.streamingResponses]

    private struct State {
        var refreshes = 0
        var awaited = 0
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Mutex(State())
    private let server: NIOTransport?

    init(inFrontOf server: NIOTransport? = nil) { self.server = server }

    /// The number of requests at the token endpoint.
    var refreshes: Int { state.withLock(\.refreshes) }

    /// Lets the token endpoint wait until so many requests have begun.
    func await(_ count: Int) { state.withLock { $0.awaited = count } }

    /// Notes that a request has begun.
    func begin() {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.awaited -= 1
            guard state.awaited <= 0 else { return nil }
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        let hasLogin = request.headerFields.contains(.authorization)
        if let server, request.target.path != "/token" { return try await server.send(request) }
        switch request.target.path {
        case "/protected" where !hasLogin:
            return Self.answer("", .unauthorized, [.wwwAuthenticate: #"Basic realm="r""#])
        case "/bearer" where !hasLogin: return Self.answer("", .unauthorized, [.wwwAuthenticate: "Bearer"])
        case "/renewed": return Self.answer("{}", .ok, [.setCookie: "c0=again; Path=/"])
        case "/token":
            await waitForAll()
            return Self.answer(
                #"{"access_token":"new","refresh_token":"next","token_type":"Bearer","expires_in":86400}"#, .ok,
                [.contentType: "application/json"])
        default: return Self.answer("{}", .ok, [.contentType: "application/json"])
        }
    }

    private func waitForAll() async {
        state.withLock { $0.refreshes += 1 }
        await withCheckedContinuation { continuation in
            let goesOn = state.withLock { state in
                if state.awaited > 0 { state.waiting = continuation }
                return state.awaited <= 0
            }
            if goesOn { continuation.resume() }
        }
    }

    private static func answer(_ text: String, _ status: HTTPResponse.Status, _ fields: HTTPFields) -> TransportResponse
    {
        TransportResponse(
            head: HTTPResponse(status: status, headerFields: fields), body: ResponseBody(bytes: Array(text.utf8)))
    }

    func shutdown() async {}
}
