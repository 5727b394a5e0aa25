import NIOCore

/// The first handler of a pipeline, below TLS. It closes the socket without close_notify.
final class SocketHandler: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
    }

    func abort() {
        context?.close(promise: nil)
    }
}
