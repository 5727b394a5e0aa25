import NIOHTTP2

/// Learns from what the codec writes on its own account whether an error ends one stream or the connection.
final class HTTP2WrittenFrames: NIOHTTP2FrameDelegate {
    /// The stream that was reset last.
    private(set) var resetStream: HTTP2StreamID?
    /// The connection was given up.
    private(set) var isGoingAway = false

    func wroteFrame(_ frame: HTTP2Frame) {
        switch frame.payload {
        case .rstStream: resetStream = frame.streamID
        case .goAway: isGoingAway = true
        default: break
        }
    }

    /// The stream that an error is about, which is reported right after the reset.
    func takeResetStream() -> HTTP2StreamID? {
        defer { resetStream = nil }
        return isGoingAway ? nil : resetStream
    }
}

@available(*, unavailable)
extension HTTP2WrittenFrames: Sendable {}
