import NIOCore
import NIOHTTP2

/// One exchange on an HTTP/2 connection (RFC 9113 §5). Lives on its channel's event loop.
final class HTTP2Stream {
    let id: HTTP2StreamID
    let exchange: TransportExchange
    /// Whether other exchanges ran on the connection before it.
    let isReused: Bool
    var progress: ExchangeProgress
    /// Whether the channel has written its request.
    var isOpen = false
    /// Whether both sides have ended it.
    var isClosed = false

    // The content of one burst of reads.
    var burstHead: ResponseHead?
    var burstBytes = BurstBytes()
    var burstEnds = false
    var isTouched = false

    /// Whether the response's status accepts the request's body.
    var isAccepted = false
    /// Whether the response is complete, and the server still takes the rest of the request's body.
    var awaitsUpload: Bool {
        guard burstEnds, isAccepted, !isClosed, !progress.endsWithAnswer else { return false }
        return progress.upload == .sending || isSending
    }

    /// Whether the response may have content, by its head.
    var mayHaveContent = true
    /// The size of all heads of this response, including interim ones.
    var headBytes = 0
    /// The bytes that the server has sent and has got no credit back for.
    var unread = 0
    /// The bytes that the server may send before the reader has taken any of them.
    private(set) var window = HTTP2Limits.streamWindow
    /// The bytes that the reader has taken since the window had this size.
    private var takenOfWindow = 0
    private let windowBudget: HTTP2WindowBudget
    /// The part of the window that the budget counts; nil if the window never had to grow.
    var growth: HTTP2WindowGrowth?
    /// The padding, which counts against the window but is never read.
    var padding = 0
    /// The number of DATA frames in a row without content.
    var emptyFrames = 0

    // The upload.
    var bodyPump: RequestBodyPump?
    /// The number of pieces of the body that the server's windows have not accepted yet.
    var unsentPieces = 0
    var isSending: Bool { unsentPieces > 0 }
    /// Whether the stream may have more to send, but the channel has no room.
    var awaitsRoom = false
    /// Whether the server's window for it has room.
    var hasWindow = true
    var sentBytes = 0
    var continueTimer: Scheduled<Void>?

    /// Whether bytes of its request, or of others before them, may not have left.
    var isLeaving = false
    /// The place of its last byte among the connection's bytes of DATA frames.
    var lastByte = 0

    let began: NIODeadline
    var lastProgress: NIODeadline

    var request: WireRequest { exchange.request }

    init(
        _ id: HTTP2StreamID, _ exchange: TransportExchange, isReused: Bool, began: NIODeadline,
        windowBudget: HTTP2WindowBudget
    ) {
        self.id = id
        self.exchange = exchange
        self.isReused = isReused
        self.began = began
        self.windowBudget = windowBudget
        lastProgress = began
        progress = ExchangeProgress(upload: exchange.request.firstUpload)
    }

    /// Whether the reader has taken most of what the window admits.
    private var readerKeepsUp: Bool { unread < window / 2 }

    /// Whether the peer has to act next. The idle limit counts only that time, so a slow consumer or a slow source of
    /// the request's body does not use it up.
    var isWaitingForPeer: Bool {
        guard readerKeepsUp || burstEnds else { return false }
        return isSending || awaitsRoom || progress.upload != .sending
    }

    /// Counts bytes that left as progress, if its request waits for them.
    ///
    /// - Parameter left: the number of the connection's bytes of DATA frames that have left
    func noteLeft(_ left: Int, at last: NIODeadline) {
        guard isLeaving else { return }
        lastProgress = max(lastProgress, last)
        isLeaving = lastByte > left || (isSending || awaitsRoom) && hasWindow
    }

    /// Doubles the window once the reader has taken all of it, and keeps up: then the window limits the server. Reduces
    /// it if it exceeds its part of the budget.
    ///
    /// - Parameters:
    ///   - taken: the bytes that the reader has taken
    ///   - credit: the bytes that are about to be returned to the server, at least those
    /// - Returns: the bytes by which the window has grown; negative if it is smaller, by the credit at most
    func resizeWindow(after taken: Int, returning credit: Int) -> Int {
        if let growth, case let excess = growth.excess, excess > 0 {
            let removed = min(excess, credit)
            growth.remove(removed)
            window -= removed
            takenOfWindow = 0
            return -removed
        }
        takenOfWindow += taken
        guard takenOfWindow >= window, readerKeepsUp else { return 0 }
        takenOfWindow = 0
        let added = min(window, HTTP2Limits.largestStreamWindow - window)
        guard added > 0 else { return 0 }
        let growth = growth ?? HTTP2WindowGrowth(from: windowBudget)
        // The stream shares the budget from now on, even while it waits for its part.
        self.growth = growth
        guard growth.add(added) else { return 0 }
        window += added
        return added
    }

    var isUploading: Bool { progress.upload == .sending || progress.upload == .awaitingContinue }

    /// Whether the request may be sent again after a failure that says nothing about it.
    var mayRetry: Bool {
        var progress = progress
        progress.headIsUnsent = !isOpen
        return progress.mayRetry(isReused: isReused, isIdempotent: request.isIdempotent) && request.isReplayable
    }

    /// Stops the upload: the rest of the body is no longer needed.
    func stopUpload() {
        continueTimer?.cancel()
        continueTimer = nil
        bodyPump?.stop()
        bodyPump = nil
    }
}

@available(*, unavailable)
extension HTTP2Stream: Sendable {}
