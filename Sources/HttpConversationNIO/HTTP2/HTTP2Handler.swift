import HttpConversation
import Logging
import NIOCore
import NIOHTTP1
import NIOHTTP2

/// The last handler of an HTTP/2 channel (RFC 9113): performs many exchanges, each on its own stream.
///
/// The codec below it enforces the rules of frames and states, and queues data that the server's windows do not accept
/// yet. Lives on its channel's event loop.
final class HTTP2Handler: ChannelInboundHandler, ExchangeHandler {
    typealias InboundIn = HTTP2Frame
    typealias OutboundOut = HTTP2Frame

    let key: PoolKey
    let pool: ConnectionPool
    let idleConnectionTimeout: TimeAmount
    var suspension: SuspendedTime
    let maximumHeadBytes: Int
    let limits: HTTP2Limits
    let writtenFrames = HTTP2WrittenFrames()

    var context: ChannelHandlerContext?
    var connection: Connection?
    var streams: [HTTP2StreamID: HTTP2Stream] = [:]
    private var streamOfExchange: [ObjectIdentifier: HTTP2StreamID] = [:]
    private var nextID = HTTP2StreamID(1)
    var begun = 0
    /// The number of concurrent streams that the server allows.
    var allowedStreams: Int?
    /// The streams that the burst of reads brought something for.
    var touched: [HTTP2Stream] = []

    /// Whether new streams are forbidden.
    var isGoingAway = false
    /// Whether the server keeps few fields of requests, so that ours may be among them.
    var isIndexing = true
    var isClosed = false
    /// The server's error code when it ended the connection.
    var goAwayCode: HTTP2ErrorCode?
    var goAways = 0
    var windowUpdates = 0
    /// The number of window updates that the server may send. Grows with the pieces of bodies.
    var allowedWindowUpdates = HTTP2Limits.freeWindowUpdates
    /// The number of bytes since the last meaningful frame.
    var meaninglessBytes = 0
    /// The content that may still come on streams that were reset. The codec drops it.
    var droppedContent = 0

    /// The streams that have more of a body to send once the channel has room.
    var awaitingRoom = CircularBuffer<HTTP2StreamID>()
    /// The bytes of DATA frames that had left by the last check.
    var leftBytes = 0
    /// The time at which bytes of DATA frames were last seen to leave.
    var lastOutbound = NIODeadline.now()

    var timer = ConnectionTimer()
    var lastInbound = NIODeadline.now()
    /// The time at which the last stream ended.
    var idleSince = NIODeadline.now()
    var pingSent: NIODeadline?
    /// The time from which the end of a stream may cause a ping again.
    var nextProbe = NIODeadline.uptimeNanoseconds(0)

    init(_ key: PoolKey, pool: ConnectionPool, configuration: NIOTransport.Configuration) {
        self.key = key
        self.pool = pool
        idleConnectionTimeout = TimeAmount(configuration.idleConnectionTimeout)
        suspension = SuspendedTime(configuration.clock)
        maximumHeadBytes = configuration.maximumHeadBytes
        limits = configuration.http2
    }

    /// The codec for frames and states (RFC 9113 §4 to §6), with the limits that HTTP/1.1 has on heads.
    static func codec(for configuration: NIOTransport.Configuration, watch: HTTP2WrittenFrames) -> NIOHTTP2Handler {
        var connection = NIOHTTP2Handler.ConnectionConfiguration()
        connection.initialSettings = [
            HTTP2Setting(parameter: .enablePush, value: 0),
            HTTP2Setting(parameter: .maxConcurrentStreams, value: 0),
            HTTP2Setting(parameter: .initialWindowSize, value: HTTP2Limits.streamWindow),
            HTTP2Setting(parameter: .maxHeaderListSize, value: configuration.maximumHeadBytes),
        ]
        // The codec counts the empty frames of a whole response; this handler counts only those in a row.
        connection.maximumSequentialEmptyDataFrames = .max
        // Enough for a head of the largest size in frames of 16 KiB.
        connection.maximumSequentialContinuationFrames = max(5, configuration.maximumHeadBytes >> 14)
        connection.maximumRecentlyResetStreams = HTTP2Limits.maximumStreams
        var stream = NIOHTTP2Handler.StreamConfiguration()
        // Each reset ends a stream that we began, and the codec drops all others. So they are not limited.
        stream.streamResetFrameRateLimit.windowLength = .zero
        return NIOHTTP2Handler(
            mode: .client, frameDelegate: watch, connectionConfiguration: connection, streamConfiguration: stream)
    }

    // MARK: Beginning

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        connection = Connection(self, key: key, eventLoop: context.eventLoop)
        lastInbound = .now()
        idleSince = lastInbound
        armTimer(at: idleSince + idleConnectionTimeout)
    }

    /// Enlarges the connection's window. Called once the codec is installed.
    func start() {
        send(.windowUpdate(windowSizeIncrement: HTTP2Limits.connectionWindow - HTTP2Limits.initialConnectionWindow))
        context?.flush()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        connection = nil
    }

    // MARK: Streams

    func stream(of exchange: TransportExchange) -> HTTP2Stream? {
        streamOfExchange[ObjectIdentifier(exchange)].flatMap { streams[$0] }
    }

    func addStream(_ exchange: TransportExchange, at now: NIODeadline) -> HTTP2Stream {
        let stream = HTTP2Stream(
            nextID, exchange, isReused: begun > 0, began: now, windowBudget: limits.windowBudget)
        nextID = nextID.advanced(by: 2)
        begun += 1
        streams[stream.id] = stream
        streamOfExchange[ObjectIdentifier(exchange)] = stream.id
        if nextID >= HTTP2StreamID(Int(Int32.max) - 2) { stopBeginning() }
        return stream
    }

    /// Removes a stream that is over. Its place is not released yet.
    func removeStream(_ stream: HTTP2Stream) {
        guard streams.removeValue(forKey: stream.id) != nil else { return }
        streamOfExchange[ObjectIdentifier(stream.exchange)] = nil
        stream.stopUpload()
    }

    /// Gives the places of ended streams to waiting exchanges.
    func releasePlaces(_ count: Int = 1) {
        guard let connection, !isClosed else { return }
        for _ in 0..<count { pool.releaseShared(connection) }
        if streams.isEmpty {
            if isGoingAway { return tearDown() }
            idleSince = .now()
            armTimer(at: idleSince + idleConnectionTimeout)
        }
    }

    /// Stops new streams. Waiting exchanges get another connection.
    func stopBeginning() {
        guard !isGoingAway, let connection else { return }
        isGoingAway = true
        pool.drain(connection)
    }

    func send(_ payload: HTTP2Frame.FramePayload, on id: HTTP2StreamID = .rootStream) {
        context?.write(wrapOutboundOut(HTTP2Frame(streamID: id, payload: payload)), promise: nil)
    }

    func reset(_ stream: HTTP2Stream, _ code: HTTP2ErrorCode) {
        send(.rstStream(code), on: stream.id)
        _ = writtenFrames.takeResetStream()
        expectDroppedContent(of: stream)
        context?.flush()
    }

    /// Allows for the content that the server sends before it reads that a stream was reset.
    ///
    /// - Parameter stream: nil if it was reset before
    func expectDroppedContent(of stream: HTTP2Stream?) {
        let window = stream?.window ?? HTTP2Limits.streamWindow
        droppedContent = min(droppedContent + window, HTTP2Limits.connectionWindow)
    }
}

@available(*, unavailable)
extension HTTP2Handler: Sendable {}
