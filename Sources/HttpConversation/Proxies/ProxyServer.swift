import HttpConvFormats

/// A proxy: its address, its protocol, and its configured login.
public struct ProxyServer: Hashable, Sendable {
    /// The protocol of a proxy.
    public enum Kind: String, Hashable, Sendable {
        /// Requests in absolute form, `CONNECT` for https (RFC 9110 §9.3.6, RFC 9112 §3.2.2).
        case http
        /// Like `http`, over TLS to the proxy.
        case https
        /// SOCKS version 5 (RFC 1928); the proxy resolves host names.
        case socks5

        /// The default port, as with curl: 443 for https, else 1080.
        public var defaultPort: Int { self == .https ? 443 : 1080 }
    }

    // An object: most exchanges have no proxy, and should pay little for the possibility.
    private let parts: Parts

    /// The protocol.
    public var kind: Kind { parts.kind }
    /// Host and port; the scheme is https if the proxy is reached by TLS, else http.
    public var origin: Origin { parts.origin }
    /// User name and password for this proxy only; nil: providers for proxies are asked when it asks. SOCKS uses no
    /// other login.
    public var login: ProxyLogin? { parts.login }

    /// Creates a proxy.
    ///
    /// - Parameters:
    ///   - kind: the protocol
    ///   - host: a host name, or an IP literal (IPv6 with or without brackets)
    ///   - port: nil means ``Kind/defaultPort``
    ///   - login: the login for this proxy only; nil: none
    /// - Throws: ``ConversationError/Code/invalidURL`` for an invalid host or port
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

    /// Whether both are the same proxy, with any logins.
    public func isSame(as other: ProxyServer) -> Bool { kind == other.kind && origin == other.origin }

    /// The same proxy with another login, or without one.
    public func with(login: ProxyLogin?) -> ProxyServer {
        ProxyServer(Parts(kind: kind, origin: origin, login: login))
    }
}

extension ProxyServer: CustomStringConvertible, CustomReflectable {
    /// Such as `socks5://proxy.example.com:1080`; never the login.
    public var description: String { "\(kind.rawValue)://\(origin.hostAndPort)" }
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
