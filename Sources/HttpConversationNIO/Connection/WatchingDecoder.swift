import NIOCore
import NIOHTTP1

/// NIO's response decoder, with an eye on the raw bytes: none may arrive on an idle connection, and a head is bounded.
struct WatchingDecoder: WriteObservingByteToMessageDecoder {
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    private let decoder: HTTPResponseDecoder
    private let handler: HTTP1Handler
    private let maximumHeadBytes: Int
    private var headBytes = 0
    private var lengths = RepeatedLengthFilter()

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

    mutating func write(data: HTTPClientRequestPart) {
        if case .head = data {
            headBytes = 0
            lengths.reset()
        }
        decoder.write(data: data)
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard handler.bytesArrived() else {
            buffer.clear()
            throw HTTP1StateMachine.Refusal.unexpectedBytes
        }
        let count = buffer.readableBytes
        let state = try decodeHeadOrBody(context: context, buffer: &buffer)
        guard handler.isWaitingForHead else { return state }
        // The parser's own limit leaves out the reason phrase and starts anew with each 1xx.
        headBytes += count - buffer.readableBytes
        if headBytes + buffer.readableBytes > maximumHeadBytes + (8 << 10) {
            throw HTTPParserError.headerOverflow
        }
        return state
    }

    private mutating func decodeHeadOrBody(
        context: ChannelHandlerContext, buffer: inout ByteBuffer
    ) throws -> DecodingState {
        guard handler.isWaitingForHead else { return try decoder.decode(context: context, buffer: &buffer) }
        let (count, hasMore) = lengths.filter(&buffer)
        guard var part = buffer.getSlice(at: buffer.readerIndex, length: count), count > 0 else { return .needMoreData }
        let state = try decoder.decode(context: context, buffer: &part)
        lengths.taken(count - part.readableBytes, of: count)
        buffer.moveReaderIndex(forwardBy: count - part.readableBytes)
        return hasMore ? .continue : state
    }

    mutating func decodeLast(context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool) throws
        -> DecodingState
    {
        if buffer.readableBytes > 0, !handler.bytesArrived() {
            buffer.clear()
            throw HTTP1StateMachine.Refusal.unexpectedBytes
        }
        return try decoder.decodeLast(context: context, buffer: &buffer, seenEOF: seenEOF)
    }

    func decoderAdded(context: ChannelHandlerContext) { decoder.decoderAdded(context: context) }
    func decoderRemoved(context: ChannelHandlerContext) { decoder.decoderRemoved(context: context) }
}
