import NIOCore
import NIOSSL

/// Closes the connection to a proxy at once when TLS with the server inside of it ends.
///
/// The outer TLS would wait for the proxy's goodbye first, and nobody would hear of the end meanwhile (security rule S30).
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
