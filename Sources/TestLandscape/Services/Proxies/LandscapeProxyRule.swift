/// The behaviour of a landscape's proxies; see ``Landscape/proxyRule``.
public struct LandscapeProxyRule: Sendable {
    /// The authentication of clients.
    public enum Authentication: String, Sendable, CaseIterable, Codable {
        /// No authentication.
        case none
        /// `Basic`; for SOCKS5 user name and password (RFC 1929).
        case basic
        /// `Digest` with SHA-256 and MD5. SOCKS5 works as with ``basic``.
        case digest
    }

    /// The authentication of clients.
    public var authentication: Authentication
    /// The name and password for the proxy. The servers behind it do not accept them.
    public var user: LandscapeUser
    /// The fault of every request; nil: none.
    public var fault: LandscapeProxyFault?

    /// A proxy without authentication and faults by default. The default user is `paula` with the password
    /// `through-the-wall`.
    public init(
        authentication: Authentication = .none,
        user: LandscapeUser = LandscapeUser(name: "paula", password: "through-the-wall"),
        fault: LandscapeProxyFault? = nil
    ) {
        self.authentication = authentication
        self.user = user
        self.fault = fault
    }
}

/// A fault of a proxy, after the client has authenticated.
public enum LandscapeProxyFault: Sendable {
    /// Answers a request with these bytes and closes.
    case answers([UInt8])
    /// Claims to open a tunnel, and sends these bytes through it as the server's.
    case tunnels([UInt8])
    /// Reads and never answers.
    case silence
    /// Closes without an answer.
    case cut
    /// Answers SOCKS5 with this reply (RFC 1928 §6). HTTP works as usual.
    case socksReply(UInt8)

    /// A 502 with the proxy's own page, cookie and `Location`.
    public static let badGateway = answers(
        Array(
            ("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nSet-Cookie: proxy=poison; Path=/\r\n"
                + "Location: https://127.0.0.1:1/elsewhere\r\nContent-Length: 25\r\nConnection: close\r\n\r\n"
                + "<h1>the proxy's page</h1>").utf8))
    /// A `200`, and bytes other than TLS in the tunnel.
    public static let garbageInTunnel = tunnels(Array("\u{0}garbage where TLS should be\r\n".utf8))
}
