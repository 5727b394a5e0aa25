import NIOCore

/// Passes whole frames to the codec, and counts the bytes that arrive before a meaningful one. Runs below the codec.
///
/// The codec keeps all that it has read until a read ends exactly at a frame's end, and drops frames of unknown types
/// (RFC 9113 §4.1), however many there are.
final class HTTP2WholeFrames: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private static let headerLength = 9
    /// The largest payload that we allow (RFC 9113 §4.2).
    private static let maximumPayload = 16_384

    private let handler: HTTP2Handler
    /// The start of a frame whose end has not arrived.
    private(set) var unfinished = ByteBuffer()

    init(_ handler: HTTP2Handler) { self.handler = handler }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        handler.meaninglessBytes += bytes.readableBytes
        if let frame = finishFrame(with: &bytes) { context.fireChannelRead(wrapInboundOut(frame)) }
        if let frames = Self.wholeFrames(of: &bytes) { context.fireChannelRead(wrapInboundOut(frames)) }
        unfinished.writeBuffer(&bytes)
        handler.checkMeaninglessBytes()
    }

    /// Moves bytes to the unfinished frame. Returns the frame if it is whole.
    private func finishFrame(with bytes: inout ByteBuffer) -> ByteBuffer? {
        guard unfinished.readableBytes > 0 else { return nil }
        fill(to: Self.headerLength, from: &bytes)
        guard let length = Self.length(of: unfinished) else { return nil }
        fill(to: length, from: &bytes)
        guard unfinished.readableBytes >= length else { return nil }
        defer { unfinished = ByteBuffer() }
        return unfinished
    }

    private func fill(to length: Int, from bytes: inout ByteBuffer) {
        let missing = min(max(0, length - unfinished.readableBytes), bytes.readableBytes)
        if var part = bytes.readSlice(length: missing) { unfinished.writeBuffer(&part) }
    }

    private static func wholeFrames(of bytes: inout ByteBuffer) -> ByteBuffer? {
        var end = 0
        while let length = length(of: bytes, at: end), end + length <= bytes.readableBytes { end += length }
        return end > 0 ? bytes.readSlice(length: end) : nil
    }

    /// The length of a frame; nil until its header is there. The header is enough of a frame that is too large,
    /// because the codec refuses that.
    private static func length(of bytes: ByteBuffer, at offset: Int = 0) -> Int? {
        guard bytes.readableBytes - offset >= headerLength,
            let start = bytes.getInteger(at: bytes.readerIndex + offset, as: UInt32.self)
        else { return nil }
        let payload = Int(start >> 8)
        return payload <= maximumPayload ? headerLength + payload : headerLength
    }
}

@available(*, unavailable)
extension HTTP2WholeFrames: Sendable {}
