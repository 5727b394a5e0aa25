import HTTPTypes

/// One way from the start: from the caller's request, or from the hop after an unsafe request was answered.
struct Attempt {
    /// Where it starts.
    let request: ConversationRequest
    /// Why it is made.
    let reason: String
}

/// One stop on the way of an attempt: what is asked there, without credentials and cookies.
struct Hop {
    var request: ConversationRequest
    /// The epoch of the exchange whose redirect led here; nil for the first hop of an attempt. What logs in meanwhile
    /// has not changed what that answer was about.
    var redirectedUnder: UInt64?
    /// Why its exchange is sent once more; nil for the first time.
    var repetition: String?

    /// Whether the body was used and cannot be sent again.
    var bodyIsGone: Bool { request.body?.isReplayable == false }
}

/// One exchange: what is sent, and under which stamps.
struct Exchange {
    let hop: Hop
    /// The request as it goes to the transport, credentials and cookies included.
    var request: ConversationRequest
    /// The credential it carries and for whom.
    var sent: SentCredential?
    /// Why it is sent again, for a repetition.
    var reason: String?
    /// The session's epoch when it was sent.
    var epoch: UInt64 = 0
    /// The session's epoch when its cookies were chosen.
    var cookieEpoch: UInt64 = 0

    init(_ hop: Hop) {
        self.hop = hop
        request = hop.request
    }

    var target: TargetURL { request.target }
}

/// An exchange whose response head is there.
struct AnsweredExchange {
    let exchange: Exchange
    let response: TransportResponse
    /// The readable challenges of the response, strongest first.
    let offered: [OfferedChallenge]

    var head: HTTPResponse { response.head }
    var target: TargetURL { exchange.target }
}

/// What the caller gets.
struct FinalResponse {
    let head: HTTPResponse
    let body: ResponseBody
    let target: TargetURL
    let reusedConnection: Bool

    /// The response as it was received.
    init(_ answered: AnsweredExchange) {
        self.init(answered, head: answered.head, body: answered.response.body)
    }

    /// What a filter made up instead.
    init(_ answered: AnsweredExchange, replacedBy other: ReplacementResponse) {
        self.init(answered, head: other.head, body: ResponseBody(bytes: other.body))
    }

    private init(_ answered: AnsweredExchange, head: HTTPResponse, body: ResponseBody) {
        self.head = head
        self.body = body
        target = answered.target
        reusedConnection = answered.response.reusedConnection
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
        return space.origin == target.origin && (challenged == target || credential.covers(target))
            && credential.mayGo(to: destination)
    }
}
