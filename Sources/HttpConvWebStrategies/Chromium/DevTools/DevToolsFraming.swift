#if os(Linux)
import NIOCore

/// Cuts what the browser says into messages: JSON, each ended by a NUL byte.
struct DevToolsFraming: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer
    /// The largest message that is taken, in bytes.
    static let limit = 16 << 20

    /// How much of the buffer is known to have no end in it: a long message is looked at once.
    private var seen = 0

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let view = buffer.readableBytesView
        guard let end = view[(view.startIndex + seen)...].firstIndex(of: 0) else {
            seen = view.count
            return .needMoreData
        }
        let length = end - view.startIndex
        seen = 0
        if let message = buffer.readSlice(length: length) {
            buffer.moveReaderIndex(forwardBy: 1)
            context.fireChannelRead(wrapInboundOut(message))
        }
        return .continue
    }

    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        try decode(context: context, buffer: &buffer)
    }
}
#endif
