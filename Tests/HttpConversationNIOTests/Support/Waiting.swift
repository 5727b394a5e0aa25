import HttpConversation

@testable import HttpConversationNIO

extension NIOTransport {
    /// Exchanges in the queue for a connection.
    func waitingCount(_ url: String, through route: ProxyRoute? = nil) -> Int {
        guard let origin = try? TargetURL(url).origin else { return 0 }
        return keys(origin, route).map { pool.counts($0).waiting }.reduce(0, +)
    }
}

extension NIOTransport {
    /// Connections, idle and busy.
    func openCount(_ url: String, through route: ProxyRoute? = nil) -> Int {
        guard let origin = try? TargetURL(url).origin else { return 0 }
        return keys(origin, route).map { pool.counts($0).open }.reduce(0, +)
    }

    fileprivate func keys(_ origin: Origin, _ route: ProxyRoute?) -> [PoolKey] {
        [ApplicationProtocols.http1, .http2OrHTTP1].map { PoolKey(origin: origin, protocols: $0, route: route) }
    }
}
