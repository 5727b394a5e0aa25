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

extension SentFields {
    /// The secrets in a request's fields, and the login of its proxy. In front of a tunnel, and for SOCKS, the transport
    /// sends that.
    ///
    /// - Parameter earlier: those of the exchanges before it
    convenience init(_ fields: HTTPFields, _ proxy: ProxyUse?, after earlier: SentFields?) {
        guard let proxy else {
            self.init(fields, after: earlier)
            return
        }
        var fields = fields
        if let field = proxy.sent?.field {
            fields.append(field.value)
        } else {
            for value in proxy.route.authorization?.latest ?? [] {
                fields.append(HTTPField(name: .proxyAuthorization, value: value))
            }
        }
        let login = proxy.server.kind == .socks5 ? proxy.server.login : nil
        self.init(fields, others: login.map { [$0.password.value] } ?? [], after: earlier)
    }
}
