import NIOCore
import NIOHTTP1

/// NIO's response decoder, with an eye on the raw bytes: none may arrive on an idle connection or after a complete
/// response, and a head is bounded.
struct WatchingDecoder: WriteObservingByteToMessageDecoder {
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart

    private let decoder: HTTPResponseDecoder
    private let handler: HTTP1Handler
    private let maximumHeadBytes: Int
    private var headBytes = 0
    /// Of an unfinished header field; the parser has seen them, and wants them again.
    private var leftOver = 0

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
        if case .head = data { headBytes = 0 }
        decoder.write(data: data)
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        guard handler.bytesArrived() else {
            buffer.clear()
            throw HTTP1StateMachine.Refusal.unexpectedBytes
        }
        let count = buffer.readableBytes
        try decodeFront(of: &buffer, context)
        let state = try decoder.decode(context: context, buffer: &buffer)
        leftOver = buffer.readableBytes
        guard handler.isWaitingForHead else { return state }
        // The parser's own limit leaves out the reason phrase and starts anew with each 1xx.
        headBytes += count - buffer.readableBytes
        if headBytes + buffer.readableBytes > maximumHeadBytes + (8 << 10) {
            throw HTTPParserError.headerOverflow
        }
        return state
    }

    /// Decodes all but the last byte: a response that is complete by then was followed by something. The parser takes
    /// what follows for the start of another response, and says nothing until it is wrong.
    private mutating func decodeFront(of buffer: inout ByteBuffer, _ context: ChannelHandlerContext) throws {
        let count = buffer.readableBytes - 1
        guard count > leftOver, var front = buffer.getSlice(at: buffer.readerIndex, length: count) else { return }
        _ = try decoder.decode(context: context, buffer: &front)
        buffer.moveReaderIndex(forwardBy: count - front.readableBytes)
        guard handler.machine.expectsNothing else { return }
        buffer.clear()
        throw HTTP1StateMachine.Refusal.unexpectedBytes
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
