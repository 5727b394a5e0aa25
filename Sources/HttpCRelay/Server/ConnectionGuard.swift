import NIOCore
import NIOHTTP1

/// Closes connections whose clients send no whole head in time, or no HTTP.
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

    init(headTime: Duration) { self.headTime = headTime }

    func handlerAdded(context: ChannelHandlerContext) { awaitHead(context) }

    func handlerRemoved(context: ChannelHandlerContext) { timer?.cancel() }

    func channelInactive(context: ChannelHandlerContext) {
        timer?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .head = unwrapInboundIn(data) {
            unanswered += 1
            timer?.cancel()
        }
        context.fireChannelRead(data)
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered = max(0, unanswered - 1)
            if unanswered == 0 { awaitHead(context) }
        }
        context.write(data, promise: promise)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // While an answer is under way, another one would be taken for a part of it.
        if let parsing = error as? HTTPParserError, unanswered == 0 {
            let status: HTTPResponseStatus =
                parsing == .headerOverflow ? .requestHeaderFieldsTooLarge : .badRequest
            let head = HTTPResponseHead(
                version: .http1_1, status: status, headers: ["Connection": "close", "Content-Length": "0"])
            context.write(wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.close(promise: nil)
    }

    private func awaitHead(_ context: ChannelHandlerContext) {
        timer?.cancel()
        timer = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(headTime)) {
            context.close(promise: nil)
        }
    }
}
