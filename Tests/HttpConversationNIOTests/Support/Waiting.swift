import HttpConversation

@testable import HttpConversationNIO

extension NIOTransport {
    /// Exchanges in the queue for a connection.
    func waitingCount(_ url: String) -> Int {
        guard let origin = try? TargetURL(url).origin else { return 0 }
        return pool.counts(PoolKey(origin: origin)).waiting
    }
}

extension NIOTransport {
    /// Connections, idle and busy.
    func openCount(_ url: String) -> Int {
        guard let origin = try? TargetURL(url).origin else { return 0 }
        return pool.counts(PoolKey(origin: origin)).open
    }
}
