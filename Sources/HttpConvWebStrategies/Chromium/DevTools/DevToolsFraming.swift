#if os(Linux)
import NIOCore

/// Splits the browser's output into messages: JSON, each ended by a NUL byte.
struct DevToolsFraming: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer
    /// The largest message, in bytes.
    static let limit = 16 << 20

    /// The number of bytes that are known to contain no end, so that a long message is scanned only once.
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
