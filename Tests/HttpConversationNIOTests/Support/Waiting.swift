import HttpConversation

@testable import HttpConversationNIO

extension NIOTransport {
    /// Exchanges in the queue for a connection.
    func waitingCount(_ url: String) -> Int {
        guard let origin = try? TargetURL(url).origin else { return 0 }
        return keys(origin).map { pool.counts($0).waiting }.reduce(0, +)
    }
}

extension NIOTransport {
    /// Connections, idle and busy.
    func openCount(_ url: String) -> Int {
        guard let origin = try? TargetURL(url).origin else { return 0 }
        return keys(origin).map { pool.counts($0).open }.reduce(0, +)
    }

    fileprivate func keys(_ origin: Origin) -> [PoolKey] {
        [ApplicationProtocols.http1, .http2OrHTTP1].map { PoolKey(origin: origin, protocols: $0) }
    }
}
