/// Time limits and switches of one exchange.
public struct TransportOptions: Sendable {
    /// The timeout for connecting, including TLS handshake and waiting for a pooled connection.
    public var connectTimeout: Duration = .seconds(30)
    /// The maximum time without progress while the exchange waits for the peer.
    public var idleTimeout: Duration = .seconds(60)
    /// The time limit for the whole exchange, including the body; nil means no limit.
    public var timeLimit: Duration?
    /// Whether to request gzip and deflate and to decode them.
    public var decompresses = true
    /// Asked if the server wants a client certificate; nil: the server is told that there is none.
    public var clientIdentity: ClientIdentitySource?
    /// The route through a proxy; nil: direct. A transport without the capability never gets one. Others use it or fail
    /// (security rule S25). If the proxy does not make a tunnel, its answer is the response, with
    /// ``TransportResponse/isFromProxy``.
    public var proxy: ProxyRoute?
    /// Whether connections are to be reported; if not, work that only ``TransportResponse/connection`` needs can be
    /// skipped.
    public var reportsConnection = false
    /// Asked about the server's certificate, after the platform's verification; nil: that alone decides. Its
    /// ``ServerTrustPolicy/terms(for:)`` add authorities and accepted keys for this origin.
    public var serverTrust: ServerTrustPolicy?
    /// The owner of the connection; nil: nobody. Exchanges share a connection only if they have the same owner, or
    /// none: a server may know the person by it. A transport without ``TransportCapabilities/connectionOwners`` never
    /// gets one.
    public var connectionOwner: ConnectionOwner?
    /// The value of `Host`, over HTTP/2 of `:authority`; nil: the target's. It affects nothing else. A transport
    /// without ``TransportCapabilities/hostField`` never gets one.
    public var hostField: HostField?
    /// The protocol that the connection is to change to, such as `websocket`; nil: none. The request goes over
    /// HTTP/1.1, through a proxy in a tunnel. Only after a 101 that names this protocol is the request's body read and
    /// sent, as it is; the response's body is then what the server sends. The end of either side's bytes closes the
    /// connection. A transport without ``TransportCapabilities/upgrades`` never gets one.
    public var upgrade: String?

    /// Creates the default options.
    public init() {}
}
