import HTTPTypes
import HttpConversation
import NIOCore

/// One request in its wire form, and its limits. A class, because it is passed around a lot.
final class WireRequest: Sendable {
    enum Payload: Sendable {
        case none
        /// A body that is sent together with the head, in one write.
        case small([UInt8])
        case streamed(OpenedRequestBody)
    }

    let key: PoolKey
    let head: RequestHead
    let payload: Payload
    /// Sent as `Host` instead of the origin's.
    let hostField: HostField?
    let expectsContinue: Bool
    /// The protocol that the connection is to change to; nil: none.
    let upgrade: String?
    let isIdempotent: Bool
    let acceptsOtherCodings: Bool
    let decompresses: Bool
    /// Whether the caller wants a report about the connection.
    let reportsConnection: Bool
    let idleTimeout: TimeAmount
    /// Converted when a timer needs them, which is rare.
    private let connectLimit: Duration
    private let continueLimit: Duration
    var connectTimeout: TimeAmount { TimeAmount(connectLimit) }
    var continueTimeout: TimeAmount { TimeAmount(continueLimit) }
    let timeLimit: Duration?
    private let networkDeadline: NIODeadline
    /// The time that handshakes had already waited for our client certificate when the request began.
    private let waitedBefore: Duration
    private let body: RequestBody?

    /// The end of the time limit. Time in which the server waits for our client certificate does not count.
    var deadline: NIODeadline { key.identity == nil ? networkDeadline : networkDeadline + TimeAmount(waited) }
    /// The time that handshakes have waited for our client certificate during this request.
    var waited: Duration { key.identity.map { $0.waitingTime - waitedBefore } ?? .zero }

    var origin: Origin { key.origin }
    var isReplayable: Bool { body?.isReplayable ?? true }
    /// Called with the number of bytes sent, and the total if it is known; at the end it always is.
    var progress: (@Sendable (_ sent: Int, _ total: Int?) -> Void)? { body?.progress }

    /// The length of the body, if it is known.
    var bodyLength: Int? {
        switch payload {
        case .none: 0
        case .small(let bytes): bytes.count
        case .streamed(let body): body.length
        }
    }

    /// Whether HTTP/1.1 needs the chunked coding for the body. Bytes of another protocol are sent as they are.
    var isChunked: Bool {
        if case .streamed(let body) = payload { body.length == nil && upgrade == nil } else { false }
    }

    /// Whether the head waits until the source of a body of length 0 confirms its end: with the head alone, the server
    /// has the whole request and would answer.
    var isHeldBack: Bool {
        if case .streamed(let body) = payload { body.length == 0 && upgrade == nil && !expectsContinue } else { false }
    }

    /// The time after which to look again whether bytes of the body have left.
    var lookInterval: TimeAmount { .nanoseconds(idleTimeout.nanoseconds / 4) }

    var firstUpload: ExchangeProgress.Upload {
        if upgrade != nil { return .awaitingUpgrade }
        if expectsContinue { return .awaitingContinue }
        if case .streamed = payload { return .sending }
        return .sent
    }

    init(_ request: TransportRequest, key: PoolKey, payload: Payload, configuration: NIOTransport.Configuration) {
        self.key = key
        waitedBefore = key.identity?.waitingTime ?? .zero
        body = request.body
        self.payload = payload
        let options = request.options
        hostField = options.hostField
        upgrade = options.upgrade
        idleTimeout = TimeAmount(options.idleTimeout)
        connectLimit = options.connectTimeout
        continueLimit = configuration.continueTimeout
        timeLimit = options.timeLimit
        networkDeadline = options.timeLimit.map { .now() + TimeAmount($0) } ?? .distantFuture
        decompresses = options.decompresses
        reportsConnection = options.reportsConnection
        let fields = RequestFields(
            request, payload: payload, configuration: configuration, isReadByProxy: key.isAbsoluteForm)
        acceptsOtherCodings = fields.hasAcceptEncoding
        expectsContinue = fields.expectsContinue
        let target = request.target
        head = RequestHead(
            method: request.method, target: key.isAbsoluteForm ? target.absoluteForm : target.requestTarget,
            fields: fields.fields)
        switch request.method {
        case .get, .head, .options, .trace, .put, .delete: isIdempotent = true
        default: isIdempotent = false
        }
    }

    /// The same request without `Expect`, for a retry after a 417.
    func withoutExpectation() -> WireRequest {
        var head = head
        head.fields.removeAll { $0.name.asciiLowercased == "expect" }
        return WireRequest(self, key: key, head: head, expectsContinue: false)
    }

    /// The same request over HTTP/1.1. Nothing else about its connection changes.
    func overHTTP1() -> WireRequest {
        var key = key
        key.protocols = .http1
        return WireRequest(self, key: key, head: head, expectsContinue: expectsContinue)
    }

    /// The same request for a server that asks for a certificate after it has seen the request.
    func renegotiating() -> WireRequest {
        WireRequest(self, key: key.renegotiating(), head: head, expectsContinue: expectsContinue)
    }

    /// The same request over connections of another key.
    func over(_ key: PoolKey) -> WireRequest {
        WireRequest(self, key: key, head: head, expectsContinue: expectsContinue)
    }

    private init(_ request: WireRequest, key: PoolKey, head: RequestHead, expectsContinue: Bool) {
        self.key = key
        self.head = head
        payload = request.payload
        hostField = request.hostField
        upgrade = request.upgrade
        self.expectsContinue = expectsContinue
        isIdempotent = request.isIdempotent
        acceptsOtherCodings = request.acceptsOtherCodings
        decompresses = request.decompresses
        reportsConnection = request.reportsConnection
        idleTimeout = request.idleTimeout
        connectLimit = request.connectLimit
        continueLimit = request.continueLimit
        timeLimit = request.timeLimit
        networkDeadline = request.networkDeadline
        waitedBefore = request.waitedBefore
        body = request.body
    }
}
