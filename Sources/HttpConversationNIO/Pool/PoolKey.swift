import HttpConversation

/// What two exchanges must have in common to use the same connection (security rule S3).
///
/// Trust settings belong to the transport and its pool. The origin is the whole of it: a connection of HTTP/2 serves no
/// other one, whatever its certificate says; and one to a proxy, too, serves the origin it was made for.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    var protocols = ApplicationProtocols.http1
    /// Whose certificate a connection has shown to its server, or would have; nil: nobody's.
    var identity: ClientIdentitySource?
    /// Whether its servers may ask for the certificate by renegotiating TLS 1.2, once per connection.
    var renegotiates = false
    /// How the server's certificate is judged where filters have a say about it; nil: BoringSSL alone judges.
    var trust: ServerJudgement?
    /// The proxy on the way, and who that takes us for; nil: straight to the server.
    var route: ProxyRoute?
    /// Where the socket leads that was given by hand; nil: where name servers say.
    var address: GivenAddress?

    /// Of connections whose server may ask for a certificate once it has seen a request.
    func renegotiating() -> PoolKey {
        var key = self
        key.protocols = .http1
        key.renegotiates = true
        return key
    }

    /// Of connections whose server BoringSSL judges, whatever key was accepted.
    func verified() -> PoolKey {
        var key = self
        key.trust = trust?.verified()
        return key
    }

    // Nearly always the origin tells them apart, and a key is looked up with each request.
    func hash(into hasher: inout Hasher) { hasher.combine(origin) }
}

extension PoolKey {
    /// Where the socket leads.
    var peer: Origin { route?.server.origin ?? origin }
    /// Whether the proxy reads the requests (RFC 9112 §3.2.2): those without TLS, but for SOCKS.
    var isAbsoluteForm: Bool {
        guard let route else { return false }
        return route.server.kind != .socks5 && origin.scheme == .http
    }
    /// The proxy that passes bytes on.
    var tunnel: ProxyRoute? { isAbsoluteForm ? nil : route }
    /// Whether BoringSSL would compare an address in the certificate with the wrong one, the proxy's or a socket's without
    /// any (security rule S4).
    var checksAddress: Bool { (route != nil || address != nil) && origin.isIPLiteral }
}
