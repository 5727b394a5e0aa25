import HttpConversation
import NIOCore
import NIOSSL

/// What performs exchanges on a connection: one at a time, or many. Lives on the channel's event loop.
protocol ExchangeHandler: AnyObject {
    /// Starts an exchange, or gives it back to the pool.
    func begin(_ exchange: TransportExchange)
    /// The consumer gave up.
    func abort(_ exchange: TransportExchange)
    /// The consumer took what it had.
    func resumeReading(_ exchange: TransportExchange)
    /// The body's pipe has pieces.
    func sendPieces(of exchange: TransportExchange)
    func failBody(of exchange: TransportExchange, _ failure: ConversationError)
    /// From outside: whatever runs ends now.
    func shutDown()
}

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
