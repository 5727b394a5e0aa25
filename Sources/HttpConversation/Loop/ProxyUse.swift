import HTTPTypes

/// One exchange's route through a proxy, with its credential for the proxy.
final class ProxyUse: Sendable {
    let route: ProxyRoute
    /// The credential that the proxy gets.
    let sent: SentCredential?
    /// The epoch of the session with the proxy's logins, when the exchange was sent.
    let epoch: UInt64

    init(_ route: ProxyRoute, sent: SentCredential? = nil, epoch: UInt64 = 0) {
        self.route = route
        self.sent = sent
        self.epoch = epoch
    }

    var server: ProxyServer { route.server }
}

extension AnsweredExchange {
    /// The credential that the exchange carried for a space.
    func sent(in space: ProtectionSpace) -> SentCredential? {
        let sent = space.isProxy ? exchange.proxy?.sent : exchange.sent
        return sent.flatMap { $0.space == space ? $0 : nil }
    }
}

extension Exchange {
    /// Whether a response is the proxy's own 407: to `CONNECT`, or to a request in absolute form. A response through a
    /// tunnel is the server's (RFC 9110 §15.5.8, security rule S5).
    func isProxyChallenge(_ response: TransportResponse, _ status: Int) -> Bool {
        guard let proxy, status == 407 else { return false }
        return response.isFromProxy || (proxy.server.kind != .socks5 && request.isReadByProxy)
    }
}

extension ConversationRequest {
    /// Whether an HTTP proxy on the way reads the request; otherwise it tunnels the bytes.
    var isReadByProxy: Bool { target.origin.scheme == .http && upgrade == nil }
}
