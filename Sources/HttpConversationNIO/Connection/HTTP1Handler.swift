import HttpConversation
import Logging
import NIOCore
import NIOHTTP1
import NIOSSL
import NIOTLS

/// The last handler of a channel: performs one exchange at a time. Lives on its channel's event loop.
final class HTTP1Handler: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPClientRequestPart

    /// A piece of a body on its way; the body writer is told when it was taken.
    struct Chunk: Sendable {
        let bytes: [UInt8]
        let isLast: Bool
        let continuation: UnsafeContinuation<Bool, Never>
    }

    let key: PoolKey
    let idleConnectionTimeout: TimeAmount
    let pool: ConnectionPool
    let logger: Logger

    var context: ChannelHandlerContext?
    var machine = HTTP1StateMachine()
    var connection: Connection?
    var exchange: TransportExchange?

    /// The attempt that makes this connection, until it is ready.
    private var making: ConnectAttempt?
    /// The same, once its TCP connection has won.
    var attempt: ConnectAttempt?
    var isSecured: Bool
    /// A failure that came before anybody could be told.
    var earlyFailure: ConversationError?

    // What one burst of reads brought.
    var burstHead: HTTPResponseHead?
    var burstBytes: [UInt8] = []
    var burstEnds = false

    var isPaused = false
    var hasPendingRead = false

    // The upload.
    var bodyWriter: Task<Void, Never>?
    var blockedChunk: Chunk?
    var sentBytes = 0
    var continueTimer: Scheduled<Void>?

    // One timer per connection, armed again only when it fires.
    var timer: Scheduled<Void>?
    var timerDeadline = NIODeadline.distantFuture
    var lastProgress = NIODeadline.now()
    var unsentAtLastCheck = 0

    init(_ making: ConnectAttempt, idleConnectionTimeout: TimeAmount, pool: ConnectionPool, logger: Logger) {
        self.logger = logger
        self.making = making
        key = making.key
        self.idleConnectionTimeout = idleConnectionTimeout
        self.pool = pool
        isSecured = making.key.origin.scheme == .http
    }

    // MARK: Beginning

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection = nil
    }

    /// The TCP connection won; it serves once TLS is done.
    func adopt(_ attempt: ConnectAttempt) {
        self.attempt = attempt
        if let earlyFailure { return refuse(earlyFailure) }
        if isSecured { becomeReady() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted = event {
            isSecured = true
            if attempt != nil { becomeReady() }
        }
        context.fireUserInboundEventTriggered(event)
    }

    private func becomeReady() {
        guard let context, let attempt else { return }
        self.attempt = nil
        making = nil
        attempt.forget()
        let connection = Connection(self, key: key, eventLoop: context.eventLoop)
        self.connection = connection
        lastProgress = .now()
        armTimer(at: lastProgress + idleConnectionTimeout)
        pool.connected(attempt, connection)
    }

    /// The connection never became ready.
    private func refuse(_ failure: ConversationError) {
        guard earlyFailure == nil || attempt != nil else { return }
        let reason = earlyFailure ?? failure
        earlyFailure = reason
        // Whoever looks for this handler later finds it gone, and its reason here.
        making?.note(reason)
        // Closing calls back into this handler: what was noted first is the reason.
        let refused = attempt
        attempt = nil
        tearDown()
        if let refused { pool.attemptFailed(refused, reason) }
    }

    // MARK: The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard connection != nil else { return refuse(TransportFailure.connecting(to: key.origin, error)) }
        if machine.expectsNothing { return endAfterResponse(error) }
        fail(TransportFailure.exchanging(with: key.origin, error, machine.cut, isUploading: isUploading), error)
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard connection != nil else {
            refuse(TransportFailure.connecting(to: key.origin, ChannelError.eof))
            return context.fireChannelInactive()
        }
        flushBurst()
        fail(TransportFailure.exchanging(with: key.origin, nil, machine.cut, isUploading: isUploading), nil)
        context.fireChannelInactive()
    }

    private var isUploading: Bool {
        machine.running?.upload == .sending || machine.running?.upload == .awaitingContinue
    }

    /// Ends connection and exchange. The request is offered once more to a fresh connection where that is safe.
    func fail(_ failure: ConversationError, _ error: (any Error)?, mayRetry: Bool = true) {
        let failed = exchange
        let retries = mayRetry && failed.map { machine.mayRetry(isIdempotent: $0.request.isIdempotent) } ?? false
        exchange = nil
        let head = burstHead
        let bytes = burstBytes
        clearBurst()
        machine.abandon()
        tearDown()
        guard let failed else { return }
        if retries, failed.request.isReplayable {
            failed.finish(.retryOnFreshConnection(failure))
        } else {
            _ = failed.deliver(head: head, bytes: bytes, ending: .failed(failure))
        }
    }

    /// The consumer gave up.
    func abort(_ aborted: TransportExchange) {
        guard aborted === exchange else { return }
        exchange = nil
        clearBurst()
        machine.abandon()
        tearDown()
    }

    /// From outside: whatever runs ends now.
    func shutDown() {
        guard exchange != nil else { return tearDown() }
        fail(ConnectionPool.shutDownError, nil, mayRetry: false)
    }

    /// Closes at once, without the wait for the peer's closing alert, and leaves the pool.
    func tearDown() {
        stopUpload()
        timer?.cancel()
        timer = nil
        guard !machine.isClosed else { return }
        machine.close()
        if let connection { pool.closed(connection) }
        guard let context else { return }
        if let below = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self) {
            below.close(promise: nil)
        } else {
            context.close(promise: nil)
        }
    }

    func clearBurst() {
        burstHead = nil
        burstBytes = []
        burstEnds = false
    }
}

@available(*, unavailable)
extension HTTP1Handler: Sendable {}
