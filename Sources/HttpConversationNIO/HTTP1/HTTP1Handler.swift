import HTTPTypes
import HttpConversation
import Logging
import NIOCore

/// The last handler of a channel: performs one exchange at a time. Lives on its channel's event loop.
final class HTTP1Handler: ChannelDuplexHandler, ExchangeHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = Never
    typealias OutboundIn = Never
    typealias OutboundOut = ByteBuffer

    /// The maximum number of reads of a channel in a row.
    static let maximumReads: UInt = 4

    let key: PoolKey
    let idleConnectionTimeout: TimeAmount
    /// The time for which the connection is kept without an exchange.
    var keptTime: TimeAmount
    var suspension: SuspendedTime
    let pool: ConnectionPool
    let logger: Logger

    var context: ChannelHandlerContext?
    var machine = HTTP1StateMachine()
    var connection: Connection?
    var exchange: TransportExchange?

    // The content of one burst of reads.
    var burstHead: ResponseHead?
    var burstBytes = BurstBytes()
    var burstEnds = false
    var readsOfBurst: UInt = 0
    /// Whether the channel has stopped reading though more bytes may have arrived. If the response ends here, they
    /// would seem to be the next one's.
    var mayHaveMore = false

    var isPaused = false
    var hasPendingRead = false

    var heads: ResponseHeadReader
    /// The start of a line whose end has not arrived.
    var unfinishedLine = ByteBuffer()

    // The upload.
    var bodyPump: RequestBodyPump?
    var sentBytes = 0
    /// The number of these bytes that had left at the last check.
    var leftBytes = 0
    /// Whether some of them may not have left.
    var isLeaving = false
    var continueTimer: Scheduled<Void>?

    var timer = ConnectionTimer()
    var lastProgress = NIODeadline.now()

    init(_ key: PoolKey, pool: ConnectionPool, configuration: NIOTransport.Configuration) {
        self.key = key
        self.pool = pool
        idleConnectionTimeout = TimeAmount(configuration.idleConnectionTimeout)
        keptTime = idleConnectionTimeout
        suspension = SuspendedTime(configuration.clock)
        logger = configuration.logger
        heads = ResponseHeadReader(maximumBytes: configuration.maximumHeadBytes)
    }

    // MARK: Beginning

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection = Connection(self, key: key, eventLoop: context.eventLoop)
        lastProgress = .now()
        armTimer(at: lastProgress + idleConnectionTimeout)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection = nil
    }

    // MARK: The end

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if machine.expectsNothing { return endAfterResponse(error) }
        if LateClientCertificate.isAskedFor(error), retryRenegotiating(error) { return }
        fail(failure(of: error))
    }

    /// Retries when the server asks for a certificate before it goes on with a request, if that is allowed. A
    /// connection serves one such renegotiation.
    private func retryRenegotiating(_ error: any Error) -> Bool {
        guard let asked = exchange, key.identity != nil, machine.cut == .beforeResponse,
            !key.renegotiates || machine.isReused && asked.request.isReplayable
        else { return false }
        let failure = failure(of: error)
        exchange = nil
        clearBurst()
        machine.abandon()
        tearDown()
        asked.finish(key.renegotiates ? .retryOnFreshConnection(failure) : .retryRenegotiating(failure))
        return true
    }

    func channelInactive(context: ChannelHandlerContext) {
        receivedEnd()
        fail(failure(of: nil))
        context.fireChannelInactive()
    }

    /// The error for a failure. A TLS 1.3 server judges a client's certificate after the handshake, so it may be about
    /// that.
    private func failure(of error: (any Error)?) -> ConversationError {
        let isUnused = !machine.isReused && machine.running?.hasBytes == false
        return ClientCertificateFailure.classify(error, key, unused: isUnused ? connection?.facts?.tlsVersion : nil)
            ?? TransportFailure.exchanging(with: key, error, machine.cut, isUploading: isUploading)
    }

    private var isUploading: Bool {
        guard let running = machine.running, running.download != .upgraded else { return false }
        return running.upload == .sending || running.upload == .awaitingContinue
    }

    /// Ends the connection and the exchange. The request is retried on a fresh connection if that is safe.
    func fail(_ failure: ConversationError, mayRetry: Bool = true) {
        let failed = exchange
        let retries = mayRetry && failed.map { machine.mayRetry(isIdempotent: $0.request.isIdempotent) } ?? false
        exchange = nil
        let head = burstHead
        let bytes = burstBytes.take()
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

    /// Ends an exchange that its consumer gave up.
    func abort(_ aborted: TransportExchange) {
        guard aborted === exchange else { return }
        exchange = nil
        clearBurst()
        machine.abandon()
        tearDown()
    }

    /// Ends the connection and its exchange at once, at the request of the pool.
    func shutDown() {
        guard exchange != nil else { return tearDown() }
        fail(ConnectionPool.shutDownError, mayRetry: false)
    }

    /// Closes at once, without the wait for the peer's closing alert, and leaves the pool.
    func tearDown() {
        stopUpload()
        timer.disarm()
        guard !machine.isClosed else { return }
        machine.close()
        if let connection { pool.closed(connection) }
        context?.closeWithoutWaiting()
    }

    func clearBurst() {
        burstHead = nil
        burstBytes = BurstBytes()
        burstEnds = false
    }
}

@available(*, unavailable)
extension HTTP1Handler: Sendable {}
