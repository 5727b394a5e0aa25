import HTTPTypes
import NIOCore
import NIOHTTP1

/// NIO's response decoder with a check of the raw bytes: none may arrive on an idle connection or after a complete
/// response, and a head has a maximum size.
struct WatchingDecoder: ByteToMessageDecoder {
    typealias InboundOut = HTTPClientResponsePart

    private let decoder: HTTPResponseDecoder
    private let handler: HTTP1Handler
    private let maximumHeadBytes: Int
    private var headBytes = 0
    /// The number of bytes of an unfinished header field that the parser has seen and wants to see again.
    private var leftOver = 0
    private var heads = ResponseHeadFilter()
    private var isBodyExpected = true
    /// The number of bytes up to the end of the response, once its head is complete; nil if it is not known.
    private var rest: Int?

    init(handler: HTTP1Handler, maximumHeadBytes: Int) {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = maximumHeadBytes
        limits.maxHeaderListSize = maximumHeadBytes
        limits.maxHeaderFieldCount = 1000
        decoder = HTTPResponseDecoder(
            leftOverBytesStrategy: .dropBytes, informationalResponseStrategy: .forward, limitConfiguration: limits)
        self.handler = handler
        self.maximumHeadBytes = maximumHeadBytes
    }

    /// Prepares for the answer to a request that was sent since the last bytes arrived.
    private mutating func noteRequest() {
        guard let method = handler.takeSentMethod() else { return }
        headBytes = 0
        heads.reset()
        rest = nil
        isBodyExpected = method != .head
        decoder.write(data: .head(method == .get ? Self.get : Self.head(method)))
    }

    /// A head for the parser, which looks at the method only.
    private static func head(_ method: HTTPRequest.Method) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: HTTPMethod(rawValue: method.rawValue), uri: "/")
    }

    private static let get = head(.get)

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        noteRequest()
        guard handler.bytesArrived() else {
            buffer.clear()
            throw ExchangeProgress.Refusal.unexpectedBytes
        }
        if handler.isUpgraded { return Self.forward(&buffer, context) }
        let count = buffer.readableBytes
        let state = try decodeHeadOrBody(context: context, buffer: &buffer)
        // A head was the only message, so what follows it is still in the buffer.
        if handler.isUpgraded { return buffer.readableBytes > 0 ? .continue : .needMoreData }
        guard handler.isWaitingForHead else { return state }
        // The parser's own limit ignores the reason phrase and starts over with each 1xx.
        headBytes += count - buffer.readableBytes
        if headBytes + buffer.readableBytes > maximumHeadBytes + (8 << 10) {
            throw HTTPParserError.headerOverflow
        }
        return state
    }

    /// Passes on bytes of the protocol that the connection has changed to.
    private static func forward(_ buffer: inout ByteBuffer, _ context: ChannelHandlerContext) -> DecodingState {
        if let bytes = buffer.readSlice(length: buffer.readableBytes), bytes.readableBytes > 0 {
            context.fireChannelRead(NIOAny(InboundOut.body(bytes)))
        }
        return .needMoreData
    }

    private mutating func decodeHeadOrBody(
        context: ChannelHandlerContext, buffer: inout ByteBuffer
    ) throws -> DecodingState {
        let isHead = handler.isWaitingForHead
        let (count, hasMore) = isHead ? heads.filter(&buffer) : (buffer.readableBytes, false)
        // The parser is called only when there are new bytes.
        guard count > (isHead ? leftOver : 0), var shown = buffer.getSlice(at: buffer.readerIndex, length: count) else {
            return .needMoreData
        }
        var body = count
        if isHead, isBodyExpected, let message = heads.message {
            rest = message.body
            body = count - message.head
        }
        do { try decode(&shown, context, body: body) } catch ExchangeProgress.Refusal.unexpectedBytes {
            buffer.clear()
            throw ExchangeProgress.Refusal.unexpectedBytes
        }
        leftOver = shown.readableBytes
        if isHead { heads.taken(count - shown.readableBytes, of: count) }
        buffer.moveReaderIndex(forwardBy: count - shown.readableBytes)
        return hasMore ? .continue : .needMoreData
    }

    /// Decodes bytes up to the end of the response. The parser would take surplus bytes for the start of another response
    /// and fail only when they turn out invalid.
    ///
    /// - Parameter body: how many of the bytes belong to the body, if `rest` is known
    private mutating func decode(_ shown: inout ByteBuffer, _ context: ChannelHandlerContext, body: Int) throws {
        guard let rest, body <= rest else {
            self.rest = nil
            try decodeFront(of: &shown, context)
            _ = try decoder.decode(context: context, buffer: &shown)
            return
        }
        let before = handler.burstBytes.count
        _ = try decoder.decode(context: context, buffer: &shown)
        self.rest = rest - body
        // The parser must find the same end.
        if handler.exchange != nil, handler.burstBytes.count - before != body {
            throw ExchangeProgress.Refusal.unexpectedBytes
        }
    }

    /// Decodes all but the last byte. If the response is complete by then, the last byte is surplus.
    private mutating func decodeFront(of shown: inout ByteBuffer, _ context: ChannelHandlerContext) throws {
        let count = shown.readableBytes - 1
        guard count > leftOver, var front = shown.getSlice(at: shown.readerIndex, length: count) else { return }
        _ = try decoder.decode(context: context, buffer: &front)
        shown.moveReaderIndex(forwardBy: count - front.readableBytes)
        if handler.machine.expectsNothing { throw ExchangeProgress.Refusal.unexpectedBytes }
    }

    mutating func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws
        -> DecodingState
    {
        noteRequest()
        if buffer.readableBytes > 0, !handler.bytesArrived() {
            buffer.clear()
            throw ExchangeProgress.Refusal.unexpectedBytes
        }
        if handler.isUpgraded {
            _ = Self.forward(&buffer, context)
            if seenEOF { handler.endUpgraded() }
            return .needMoreData
        }
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }
    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }
}
