import NIOCore
import NIOHTTP1
import NIOHTTP2

/// One exchange on a connection of HTTP/2 (RFC 9113 §5). Lives on its channel's event loop.
final class HTTP2Stream {
    let id: HTTP2StreamID
    let exchange: TransportExchange
    /// Whether others ran on the connection before it.
    let isReused: Bool
    var progress: ExchangeProgress
    /// Its request is on the wire, as far as the channel has taken it.
    var isOpen = false
    /// Both sides have ended it.
    var isClosed = false

    // What one burst of reads brought.
    var burstHead: HTTPResponseHead?
    var burstBytes: [UInt8] = []
    var burstEnds = false
    var isTouched = false

    /// The heads of this response together, the interim ones included.
    var headBytes = 0
    /// What the server has sent and may not send again yet.
    var unread = 0
    /// Padding counts against the window, but nobody reads it.
    var padding = 0

    // The upload.
    var bodyPump: RequestBodyPump?
    var isSending = false
    var sentBytes = 0
    var continueTimer: Scheduled<Void>?

    var lastProgress = NIODeadline.now()

    var request: WireRequest { exchange.request }

    init(_ id: HTTP2StreamID, _ exchange: TransportExchange, isReused: Bool) {
        self.id = id
        self.exchange = exchange
        self.isReused = isReused
        progress = ExchangeProgress(upload: exchange.request.firstUpload)
    }

    /// The idle limit is the peer's: neither a slow consumer nor a slow source of the request's body uses it up.
    var isWaitingForPeer: Bool {
        if unread >= HTTP2Limits.streamWindow / 2 { return false }
        return isSending || progress.upload != .sending
    }

    var isUploading: Bool { progress.upload == .sending || progress.upload == .awaitingContinue }

    /// Whether the request may be sent once more after a failure that says nothing about it.
    var mayRetry: Bool {
        var progress = progress
        progress.headIsUnsent = !isOpen
        return progress.mayRetry(isReused: isReused, isIdempotent: request.isIdempotent) && request.isReplayable
    }

    /// Nothing more of the body is wanted.
    func stopUpload() {
        continueTimer?.cancel()
        continueTimer = nil
        bodyPump?.stop()
        bodyPump = nil
    }
}

@available(*, unavailable)
extension HTTP2Stream: Sendable {}
