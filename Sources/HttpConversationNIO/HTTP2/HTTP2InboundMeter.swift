import NIOCore

/// Counts the bytes that arrive before a meaningful frame. Runs below the codec.
///
/// The codec drops frames of unknown types (RFC 9113 §4.1), however many there are. Its buffer grows meanwhile, because
/// it is freed only when a read ends exactly at a frame's end.
final class HTTP2InboundMeter: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let handler: HTTP2Handler

    init(_ handler: HTTP2Handler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        handler.meaninglessBytes += unwrapInboundIn(data).readableBytes
        context.fireChannelRead(data)
        handler.checkMeaninglessBytes()
    }
}
