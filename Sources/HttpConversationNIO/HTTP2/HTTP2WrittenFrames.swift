import NIOHTTP2

/// Watches the frames that the codec writes: to tell whether an error ends one stream or the connection, and to count
/// the bytes that the server's windows have accepted.
final class HTTP2WrittenFrames: NIOHTTP2FrameDelegate {
    /// The last stream that was reset.
    private(set) var resetStream: HTTP2StreamID?
    /// Whether the codec gave up the connection.
    private(set) var isGoingAway = false
    /// The bytes of all DATA frames that were written to the channel.
    private(set) var dataBytes = 0

    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .data(let content): dataBytes += content.data.readableBytes
        case .rstStream: resetStream = frame.streamID
        case .goAway: isGoingAway = true
        default: break
        }
    }

    /// Takes the stream that an error is about: the codec reports the error right after the reset.
    func takeResetStream() -> HTTP2StreamID? {
        defer { resetStream = nil }
        return isGoingAway ? nil : resetStream
    }
}

@available(*, unavailable)
extension HTTP2WrittenFrames: Sendable {}
