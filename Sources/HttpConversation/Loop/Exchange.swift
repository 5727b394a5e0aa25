import HTTPTypes

// These types are classes, because they are passed on often, and copying a request's parts costs more than the
// decisions about it.

/// One pass through the conversation, from the caller's request or from the hop after an unsafe request was answered.
final class Attempt: Sendable {
    /// The request to start from.
    let request: ConversationRequest
    /// The reason for the attempt.
    let reason: String

    init(request: ConversationRequest, reason: String) {
        self.request = request
        self.reason = reason
    }
}

/// One stop of an attempt: a request without credentials and cookies.
final class Hop: Sendable {
    let request: ConversationRequest
    /// The epoch of the exchange whose redirect led here; nil for the first hop of an attempt. Later logins did not
    /// affect the answer with that redirect.
    let redirectedUnder: UInt64?
    /// The reason for repeating its exchange; nil the first time.
    let repetition: String?
    /// The login that a modifying request was redirected to, if this hop is part of it.
    let detour: LoginDetour?

    init(
        request: consuming ConversationRequest, redirectedUnder: UInt64? = nil, repetition: String? = nil,
        detour: LoginDetour? = nil
    ) {
        self.request = request
        self.redirectedUnder = redirectedUnder
        self.repetition = repetition
        self.detour = detour
    }

    /// Whether the body was used and cannot be sent again.
    var consumedBody: Bool { request.body?.isReplayable == false }
}

/// One exchange: the request as sent, and the session's epochs.
final class Exchange: Sendable {
    let hop: Hop
    /// The request as passed to the transport, with credentials and cookies.
    let request: ConversationRequest
    /// The credential that it carries, with its protection space.
    let sent: SentCredential?
    /// The proxy's route; nil: direct.
    let proxy: ProxyUse?
    /// The session's epoch when it was sent.
    let epoch: UInt64
    /// The session's epoch when its cookies were chosen.
    let cookieEpoch: UInt64

    init(
        _ hop: Hop, request: consuming ConversationRequest, sent: SentCredential? = nil, epoch: UInt64 = 0,
        cookieEpoch: UInt64 = 0, proxy: ProxyUse? = nil
    ) {
        self.hop = hop
        self.request = request
        self.sent = sent
        self.epoch = epoch
        self.cookieEpoch = cookieEpoch
        self.proxy = proxy
    }

    var target: TargetURL { request.target }
}

/// An exchange whose response head has arrived.
final class AnsweredExchange: Sendable {
    let exchange: Exchange
    let response: TransportResponse
    /// The response's status, which a head has to parse each time.
    let status: HTTPResponse.Status
    /// The readable challenges of the response, strongest first.
    let offered: [OfferedChallenge]

    init(
        exchange: Exchange, response: TransportResponse, status: HTTPResponse.Status, offered: [OfferedChallenge]
    ) {
        self.exchange = exchange
        self.response = response
        self.status = status
        self.offered = offered
    }

    var head: HTTPResponse { response.head }
    var target: TargetURL { exchange.target }
    /// Whether the proxy asks for a login (security rule S5).
    var isProxyChallenge: Bool { exchange.isProxyChallenge(response, status) }
}

/// The response for the caller.
final class FinalResponse: Sendable {
    let head: HTTPResponse
    /// The head's status, which a head has to parse each time.
    let status: HTTPResponse.Status
    let body: ResponseBody
    private let answered: AnsweredExchange

    var target: TargetURL { answered.target }
    /// The transport's response, even if another one is delivered.
    var received: TransportResponse { answered.response }
    var exchange: Exchange { answered.exchange }

    /// The response as it was received.
    convenience init(_ answered: AnsweredExchange) {
        self.init(answered, head: answered.head, status: answered.status, body: answered.response.body)
    }

    /// A response that a filter made.
    convenience init(_ answered: AnsweredExchange, replacedBy other: ReplacementResponse) {
        self.init(answered, head: other.head, status: other.head.status, body: ResponseBody(bytes: other.body))
    }

    private init(
        _ answered: AnsweredExchange, head: HTTPResponse, status: HTTPResponse.Status, body: ResponseBody
    ) {
        self.head = head
        self.status = status
        self.body = body
        self.answered = answered
    }
}

extension SentFields {
    /// The secrets of an exchange.
    ///
    /// - Parameter earlier: those of the exchanges before it
    convenience init(_ exchange: Exchange, after earlier: SentFields?) {
        self.init(exchange.request.headerFields, exchange.proxy, after: earlier)
    }
}

extension AnsweredExchange {
    /// The credential that the exchange carried for a space.
    func sent(in space: ProtectionSpace) -> SentCredential? {
        let sent = space.isProxy ? exchange.proxy?.sent : exchange.sent
        return sent.flatMap { $0.space == space ? $0 : nil }
    }
}

extension Exchange {
    /// Whether a response is the proxy's own 407: to `CONNECT`, or to a request in absolute form. A response through a
    /// tunnel is the server's (RFC 9110 §15.5.8, security rule S5).
    func isProxyChallenge(_ response: TransportResponse, _ status: HTTPResponse.Status) -> Bool {
        guard let proxy, status == 407 else { return false }
        return response.isFromProxy || (proxy.server.kind != .socks5 && request.isReadByProxy)
    }
}

extension ConversationRequest {
    /// Whether an HTTP proxy on the way reads the request; otherwise it tunnels the bytes.
    var isReadByProxy: Bool { target.origin.scheme == .http && upgrade == nil }
}
