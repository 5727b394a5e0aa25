import NIOCore
import NIOHTTP1

/// Closes connections: after an answer that says so, and of clients that send no whole head in time, or no HTTP.
///
/// Not sendable: it lives on its channel's event loop.
final class ConnectionGuard: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    private let headTime: Duration
    private var timer: Scheduled<Void>?
    /// The requests whose heads have arrived and whose answers are not complete.
    private var unanswered = 0
    /// Whether the present answer is the connection's last one.
    private var isLast = false

    init(headTime: Duration) { self.headTime = headTime }

    func handlerAdded(context: ChannelHandlerContext) { awaitHead(context) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data), !isLast {
            unanswered += 1
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        switch unwrapOutboundIn(data) {
        case .head(let head) where !head.isKeepAlive || head.status == .switchingProtocols: isLast = true
        case .end:
            unanswered = max(0, unanswered - 1)
            return writeEnd(context, data, promise)
        default: break
        }
        context.write(data, promise: promise)
    }

    /// Once all is sent, waits for the next head, or ends the sending. The time of a client that reads slowly is its
    /// own.
    ///
    /// The client ends the connection: if it were closed with bytes of the client's unread, the system would reset it,
    /// and the client might lose the answer.
    private func writeEnd(_ context: ChannelHandlerContext, _ data: NIOAny, _ promise: EventLoopPromise<Void>?) {
        let isLast = isLast
        let sent = promise ?? context.eventLoop.makePromise()
        sent.futureResult.assumeIsolated().whenComplete { [self] _ in
            if isLast || unanswered == 0 { awaitHead(context) }
            if isLast { context.close(mode: .output, promise: nil) }
        }
        context.write(data, promise: sent)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While an answer is under way, another one would be taken for a part of it.
        guard let parsing = error as? HTTPParserError, unanswered == 0, !isLast else {
            return context.close(promise: nil)
        }
        isLast = true
        let answer = Self.refusal(of: parsing)
        context.write(wrapOutboundOut(.head(answer.head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: answer.text)))), promise: nil)
        writeEnd(context, NIOAny(HTTPServerResponsePart.end(nil)), nil)
        context.flush()
    }

    private static func refusal(of error: HTTPParserError) -> RelayAnswer {
        switch error {
        case .headerOverflow:
            RelayAnswer(.requestHeaderFieldsTooLarge, "The head of the request is too long, or has too many fields.")
        case .invalidMethod: RelayAnswer(.badRequest, "The relay does not know the method of the request.")
        case .invalidURL, .invalidPath, .invalidQueryString:
            RelayAnswer(
                .badRequest, "The path or query has characters that must be percent-encoded, such as a space or ö.")
        default: RelayAnswer(.badRequest, "The request is not valid HTTP (RFC 9112).")
        }
    }

    private func awaitHead(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(headTime)) {
            context.close(promise: nil)
        }
    }
}
