/// A proxy: where it is, how it is spoken to, and the login that was given along with it.
public struct ProxyServer: Hashable, Sendable {
    /// How a proxy is spoken to.
    public enum Kind: String, Hashable, Sendable {
        /// Requests in absolute form, `CONNECT` for https (RFC 9110 §9.3.6, RFC 9112 §3.2.2).
        case http
        /// The same over TLS to the proxy.
        case https
        /// SOCKS version 5 (RFC 1928); the proxy resolves host names.
        case socks5

        /// The port where none is named, curl's: 443 for https, else 1080.
        public var defaultPort: Int { self == .https ? 443 : 1080 }
    }

    // An object: most exchanges have none, and what may be there should cost them nothing.
    private let parts: Parts

    /// How it is spoken to.
    public var kind: Kind { parts.kind }
    /// Host and port; the scheme is https where the proxy is reached by TLS, else http.
    public var origin: Origin { parts.origin }
    /// User name and password for this proxy alone; nil: providers for proxies are asked when it wants them. SOCKS knows no
    /// other ones.
    public var login: ProxyLogin? { parts.login }

    /// Describes a proxy.
    ///
    /// - Parameters:
    ///   - kind: how it is spoken to
    ///   - host: a host name, or an IP literal (IPv6 with or without brackets)
    ///   - port: nil means ``Kind/defaultPort``
    ///   - login: for the proxy alone; nil: none
    /// - Throws: ``ConversationError/Code/invalidURL`` for a host or port that cannot be one
    public init(
        _ kind: Kind, host: String, port: Int? = nil, login: ProxyLogin? = nil
    ) throws(ConversationError) {
        let origin = try Origin(scheme: kind == .https ? .https : .http, host: host, port: port ?? kind.defaultPort)
        parts = Parts(kind: kind, origin: origin, login: login)
    }

    private final class Parts: Hashable, Sendable {
        let kind: Kind
        let origin: Origin
        let login: ProxyLogin?

        init(kind: Kind, origin: Origin, login: ProxyLogin?) {
            self.kind = kind
            self.origin = origin
            self.login = login
        }

        static func == (one: Parts, other: Parts) -> Bool {
            one === other || (one.kind == other.kind && one.origin == other.origin && one.login == other.login)
        }

        func hash(into hasher: inout Hasher) { hasher.combine(origin) }
    }

    private init(_ parts: Parts) { self.parts = parts }

    /// Whether both are one proxy, whatever their logins.
    package func isSame(as other: ProxyServer) -> Bool { kind == other.kind && origin == other.origin }

    /// The same proxy with another login, or without.
    public func with(login: ProxyLogin?) -> ProxyServer {
        ProxyServer(Parts(kind: kind, origin: origin, login: login))
    }
}

extension ProxyServer: CustomStringConvertible, CustomReflectable {
    /// Such as `socks5://proxy.example.com:1080`; never the login.
    public var description: String {
        let host = origin.host.utf8.contains(UInt8(ascii: ":")) ? "[\(origin.host)]" : origin.host
        return "\(kind.rawValue)://\(host):\(origin.port)"
    }
    public var customMirror: Mirror { Mirror(self, children: ["proxy": description]) }
}

/// User name and password for a proxy.
public struct ProxyLogin: Hashable, Sendable {
    /// The user name.
    public let username: Redacted<String>
    /// The password.
    public let password: Redacted<String>

    /// A user name and password.
    public init(username: String, password: String) {
        self.username = Redacted(username)
        self.password = Redacted(password)
    }
}
