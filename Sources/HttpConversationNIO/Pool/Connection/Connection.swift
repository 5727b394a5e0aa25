import HttpConversation
import NIOCore
import Synchronization

/// A connection as the pool and exchanges see it. Callable from any thread.
final class Connection: Sendable {
    let key: PoolKey
    let eventLoop: any EventLoop
    private let handler: NIOLoopBound<any ExchangeHandler>
    private let made = Mutex<ConnectionFacts?>(nil)

    /// Facts about how the connection was made.
    var facts: ConnectionFacts? {
        get { made.withLock(\.self) }
        set { made.withLock { $0 = newValue } }
    }

    /// Must be called on the event loop.
    init(_ handler: any ExchangeHandler, key: PoolKey, eventLoop: any EventLoop) {
        self.key = key
        self.eventLoop = eventLoop
        self.handler = NIOLoopBound(handler, eventLoop: eventLoop)
    }

    func begin(_ exchange: TransportExchange) { onLoop { $0.begin(exchange) } }

    func abort(_ exchange: TransportExchange) { onLoop { $0.abort(exchange) } }

    func resumeReading(_ exchange: TransportExchange) { onLoop { $0.resumeReading(exchange) } }

    /// Ends the connection, even during an exchange.
    func close() { onLoop { $0.shutDown() } }

    func sendPieces(of exchange: TransportExchange) { onLoop { $0.sendPieces(of: exchange) } }

    func failBody(of exchange: TransportExchange, _ error: sending any Error) {
        let failure = RequestBodyFailure.of(error)
        onLoop { $0.failBody(of: exchange, failure) }
    }

    private func onLoop(_ work: @escaping @Sendable (any ExchangeHandler) -> Void) {
        if eventLoop.inEventLoop { return work(handler.value) }
        eventLoop.execute { [handler] in work(handler.value) }
    }
}
