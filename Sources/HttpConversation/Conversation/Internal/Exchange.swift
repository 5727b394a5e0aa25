import HTTPTypes

// Classes: they are handed around a lot, and copying what a request consists of costs more than deciding about it.

/// One way from the start: from the caller's request, or from the hop after an unsafe request was answered.
final class Attempt: Sendable {
    /// Where it starts.
    let request: ConversationRequest
    /// Why it is made.
    let reason: String

    init(request: ConversationRequest, reason: String) {
        self.request = request
        self.reason = reason
    }
}

/// One stop on the way of an attempt: what is asked there, without credentials and cookies.
final class Hop: Sendable {
    let request: ConversationRequest
    /// The epoch of the exchange whose redirect led here; nil for the first hop of an attempt. What logs in meanwhile
    /// has not changed what that answer was about.
    let redirectedUnder: UInt64?
    /// Why its exchange is sent once more; nil for the first time.
    let repetition: String?
    /// The login that a modifying request was redirected to, where this is a stop on its way.
    let detour: LoginDetour?

    init(
        request: ConversationRequest, redirectedUnder: UInt64? = nil, repetition: String? = nil,
        detour: LoginDetour? = nil
    ) {
        self.request = request
        self.redirectedUnder = redirectedUnder
        self.repetition = repetition
        self.detour = detour
    }

    /// Whether the body was used and cannot be sent again.
    var bodyIsGone: Bool { request.body?.isReplayable == false }
}

/// One exchange: what is sent, and under which stamps.
final class Exchange: Sendable {
    let hop: Hop
    /// The request as it goes to the transport, credentials and cookies included.
    let request: ConversationRequest
    /// The credential it carries and for whom.
    let sent: SentCredential?
    /// Its way through a proxy; nil: straight to its server.
    let proxy: ProxyPassage?
    /// The session's epoch when it was sent.
    let epoch: UInt64
    /// The session's epoch when its cookies were chosen.
    let cookieEpoch: UInt64

    init(
        _ hop: Hop, request: ConversationRequest? = nil, sent: SentCredential? = nil, epoch: UInt64 = 0,
        cookieEpoch: UInt64 = 0, proxy: ProxyPassage? = nil
    ) {
        self.hop = hop
        self.request = request ?? hop.request
        self.sent = sent
        self.epoch = epoch
        self.cookieEpoch = cookieEpoch
        self.proxy = proxy
    }

    var target: TargetURL { request.target }
}

/// An exchange whose response head is there.
final class AnsweredExchange: Sendable {
    let exchange: Exchange
    let response: TransportResponse
    /// The readable challenges of the response, strongest first.
    let offered: [OfferedChallenge]

    init(exchange: Exchange, response: TransportResponse, offered: [OfferedChallenge]) {
        self.exchange = exchange
        self.response = response
        self.offered = offered
    }

    var head: HTTPResponse { response.head }
    var target: TargetURL { exchange.target }
    /// Whether it is the proxy that wants to know who asks (security rule S5).
    var isProxyChallenge: Bool { exchange.isProxyChallenge(response) }
}

/// What the caller gets.
final class FinalResponse: Sendable {
    let head: HTTPResponse
    let body: ResponseBody
    let target: TargetURL
    /// What the transport got, whatever is delivered.
    let received: TransportResponse

    /// The response as it was received.
    convenience init(_ answered: AnsweredExchange) {
        self.init(answered, head: answered.head, body: answered.response.body)
    }

    /// What a filter made up instead.
    convenience init(_ answered: AnsweredExchange, replacedBy other: ReplacementResponse) {
        self.init(answered, head: other.head, body: ResponseBody(bytes: other.body))
    }

    private init(_ answered: AnsweredExchange, head: HTTPResponse, body: ResponseBody) {
        self.head = head
        self.body = body
        target = answered.target
        received = answered.response
    }
}

/// A credential on the wire.
struct SentCredential {
    let space: ProtectionSpace
    let credential: any Credential
    let persistence: CredentialPersistence
    /// The URL that was challenged; nil for a credential that was sent ahead.
    var challenged: TargetURL?

    /// Whether an exchange may carry it: the one that was challenged, and what its space covers, where it may go there.
    func isMeant(for destination: CredentialDestination) -> Bool {
        let target = destination.target
        if let proxy = destination.proxy {
            return space.isProxy && space.origin == proxy.origin && credential.mayGo(to: destination)
        }
        return !space.isProxy && space.origin == target.origin && (challenged == target || credential.covers(target))
            && credential.mayGo(to: destination)
    }
}
