/// What the proxies of a landscape want and do; see ``Landscape/proxyRule``.
public struct LandscapeProxyRule: Sendable {
    /// How a client says who it is.
    public enum Authentication: String, Sendable, CaseIterable, Codable {
        /// Everybody may pass.
        case none
        /// `Basic`; for SOCKS5 user name and password (RFC 1929).
        case basic
        /// `Digest` with SHA-256 and MD5; for SOCKS5 as with ``basic``.
        case digest
    }

    /// Who may pass.
    public var authentication: Authentication
    /// Their name and password, which are nobody's at the servers behind.
    public var user: LandscapeUser
    /// What goes wrong with every request; nil: nothing.
    public var fault: LandscapeProxyFault?

    /// An open proxy without faults. With a password it is that of `paula`: `through-the-wall`.
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

/// What a proxy does instead of its work, once a client has said who it is.
public enum LandscapeProxyFault: Sendable {
    /// Answers a request with these bytes and closes.
    case answers([UInt8])
    /// Makes a tunnel as it seems, and sends these bytes through it as the server's.
    case tunnels([UInt8])
    /// Reads and never answers.
    case silence
    /// Closes without a word.
    case cut
    /// Answers SOCKS5 with this reply (RFC 1928 §6); HTTP as usual.
    case socksReply(UInt8)

    /// 502 with a page, a cookie and a `Location`, none of which are the server's.
    public static let badGateway = answers(
        Array(
            ("HTTP/1.1 502 Bad Gateway\r\nContent-Type: text/html\r\nSet-Cookie: proxy=poison; Path=/\r\n"
                + "Location: https://127.0.0.1:1/elsewhere\r\nContent-Length: 25\r\nConnection: close\r\n\r\n"
                + "<h1>the proxy's page</h1>").utf8))
    /// `200` and what is no TLS.
    public static let garbageInTunnel = tunnels(Array("\u{0}garbage where TLS should be\r\n".utf8))
}
