import NIOCore
import NIOSSL

/// Closes the connection to a proxy at once when the TLS session with the server inside it ends.
///
/// The outer TLS would wait for the proxy's closing alert first and delay the report of the end (security rule S30).
final class PromptCloseHandler: ChannelOutboundHandler {
    typealias OutboundIn = ByteBuffer

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {
        let outer = try? context.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)
        if let outer, mode == .all {
            outer.close(mode: mode, promise: promise)
        } else {
            context.close(mode: mode, promise: promise)
        }
    }
}

@available(*, unavailable)
extension PromptCloseHandler: Sendable {}
