import NIOCore

/// Counts the bytes that come before any frame that means something, below the codec.
///
/// Frames of unknown kinds are dropped there (RFC 9113 §4.1), however many there are; and its buffer, which gives bytes back
/// where a read ends with a frame only, grows while nothing else comes.
final class HTTP2InboundMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handler: HTTP2Handler

    init(_ handler: HTTP2Handler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handler.meaninglessBytes += Self.unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        handler.checkMeaninglessBytes()
    }
}
