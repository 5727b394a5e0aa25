import NIOCore
import NIOSSL

extension ChannelHandlerContext {
    /// Closes at once, without the wait for the peer's closing alert.
    func closeWithoutWaiting() {
        if let below = try? pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self) {
            below.close(promise: nil)
        } else {
            close(promise: nil)
        }
    }
}
