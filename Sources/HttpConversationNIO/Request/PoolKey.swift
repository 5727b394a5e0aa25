import HttpConversation

/// The properties that two exchanges must share to use the same connection (security rule S3).
///
/// The roots, and whether certificates are verified at all, are not part of it: they belong to the transport and its
/// pool. The judgement of an exchange's filters is part of it, with their additional authorities and accepted keys. A
/// connection serves only its origin: an HTTP/2 connection serves no other origin, whatever its certificate says, nor
/// does a connection to a proxy.
struct PoolKey: Hashable, Sendable {
    let origin: Origin
    var protocols = ApplicationProtocols.http1
    /// The source of the client certificate that a connection has shown or would show; nil: no certificate.
    var identity: ClientIdentitySource?
    /// Whether the server may ask for the certificate by renegotiating TLS 1.2, once per connection.
    var renegotiates = false
    /// The filters' judgement of the server's certificate; nil: BoringSSL alone judges.
    var trust: ServerJudgement?
    /// The proxy, and our login there; nil: a direct connection.
    var route: ProxyRoute?
    /// Whether the proxy tunnels the bytes to a server without TLS.
    var isTunnelled = false
    /// The address that was set by hand; nil: DNS decides.
    var address: GivenAddress?
    /// The owner of the connection, whom its server may know by it; nil: nobody.
    var owner: ConnectionOwner?

    /// The key of connections whose server may ask for a certificate after it has seen a request.
    func renegotiating() -> PoolKey {
        var key = self
        key.protocols = .http1
        key.renegotiates = true
        return key
    }

    /// The key of connections whose server BoringSSL judges, even if a key was accepted.
    func verified() -> PoolKey {
        var key = self
        key.trust = trust?.verified()
        return key
    }

    // A key is hashed with each request. The origin nearly always tells keys apart; for one service, its users do.
    func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        if let identity { hasher.combine(identity) }
        if let owner { hasher.combine(owner) }
    }
}

extension PoolKey {
    /// The origin that the socket connects to: the proxy's or the server's.
    var peer: Origin { route?.server.origin ?? origin }
    /// Whether a proxy reads the requests (RFC 9112 §3.2.2): requests without TLS, except through SOCKS.
    var isAbsoluteForm: Bool {
        guard let route, !isTunnelled else { return false }
        return route.server.kind != .socks5 && origin.scheme == .http
    }
    /// The proxy that tunnels bytes to the server.
    var tunnel: ProxyRoute? { isAbsoluteForm ? nil : route }
}
