import HttpConvFormats

/// Scheme, normalised host and port: the unit of trust of this library (RFC 6454, security rule S1).
///
/// Connecting, SNI, `Host`, cookies, the pool, policies and profiles all use this value only.
public struct Origin: Hashable, Sendable {
    /// The supported schemes.
    public enum Scheme: String, Hashable, Sendable {
        /// Without TLS (RFC 9110 §4.2.1); the default port is 80.
        case http
        /// Over TLS (RFC 9110 §4.2.2); the default port is 443.
        case https

        /// 80 or 443.
        public var defaultPort: Int { self == .http ? 80 : 443 }

        // Compares the cases. The default would compare and hash their raw texts.
        public static func == (one: Scheme, other: Scheme) -> Bool { one.isSecure == other.isSecure }
        public func hash(into hasher: inout Hasher) { hasher.combine(isSecure) }

        private var isSecure: Bool { if case .https = self { true } else { false } }
    }

    /// An object, because an origin is passed around a lot, and is a key of most tables.
    @usableFromInline final class Parts: Sendable {
        @usableFromInline let scheme: Scheme
        @usableFromInline let host: String
        @usableFromInline let port: Int
        @usableFromInline let authority: String
        /// The host as in a URL: an IPv6 literal in brackets.
        let bracketedHost: String
        /// Hashing a text again with each request would cost more than the rest of a look-up.
        let hash: Int
        /// Computed once: it is asked for before every secret is sent.
        let isLoopback: Bool

        init(_ scheme: Scheme, _ host: String, _ port: Int) {
            self.scheme = scheme
            self.host = host
            self.port = port
            bracketedHost = host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]" : host
            authority = port == scheme.defaultPort ? bracketedHost : "\(bracketedHost):\(port)"
            var hasher = Hasher()
            hasher.combine(port)
            hasher.combine(host)
            hash = hasher.finalize()
            isLoopback = HostName.networkOfIPv4(host) == 127 || host == "localhost" || host == "::1"
        }
    }

    @usableFromInline let parts: Parts

    /// `http` or `https`.
    @inlinable public var scheme: Scheme { parts.scheme }
    /// Lower case, IDNA-encoded, without trailing dot; an IPv6 literal in its canonical form without brackets.
    @inlinable public var host: String { parts.host }
    /// 1…65535.
    @inlinable public var port: Int { parts.port }
    /// `host[:port]` as in a `Host` field, without the scheme's default port.
    @inlinable public var authority: String { parts.authority }

    /// Checks and normalises the parts of an origin.
    ///
    /// - Parameters:
    ///   - scheme: http or https
    ///   - host: a host name, or an IP literal (IPv6 with or without brackets)
    ///   - port: nil means the scheme's default
    /// - Throws: ``ConversationError/Code/invalidURL`` for an invalid host or port
    public init(scheme: Scheme, host: String, port: Int? = nil) throws(ConversationError) {
        let port = port ?? scheme.defaultPort
        guard (1...65535).contains(port) else {
            throw ConversationError(.invalidURL, "The port \(port) is not between 1 and 65535.")
        }
        parts = Parts(scheme, try HostName.normalise(host), port)
    }

    /// Parses `host[:port]`, the authority component without userinfo (RFC 3986 §3.2).
    init(scheme: Scheme, authority: Substring) throws(ConversationError) {
        let (host, port) = try HostName.split(authority)
        try self.init(scheme: scheme, host: String(host), port: port)
    }

    /// Whether the host is an IPv4 or IPv6 literal: then there is no SNI, and no cookies of a parent domain.
    public var isIPLiteral: Bool { HostName.isIPLiteral(host) }

    /// Whether the host is in 127.0.0.0/8, ::1 or `localhost`: only these may get a secret over plain http (security
    /// rule S11).
    public var isLoopback: Bool { parts.isLoopback }

    /// Whether the host is `localhost` or a name below it: such a name is this machine's and needs no name server (RFC
    /// 6761 §6.3). Only `localhost` itself is ``isLoopback``, because a browser or the system may look up the others.
    package var isLocalName: Bool { Self.isLocalName(host) }

    package static func isLocalName(_ host: String) -> Bool { host == "localhost" || host.hasSuffix(".localhost") }

    /// Whether nobody on the way can read what is sent there: https, or loopback (security rule S11).
    ///
    /// A proxy that the settings name for loopback is the exception: it reads plain http, and `localhost` is its
    /// machine. The proxies of the environment are not used for loopback.
    public var isSecure: Bool { scheme == .https || isLoopback }

    public static func == (one: Origin, other: Origin) -> Bool {
        one.parts === other.parts
            || one.port == other.port && one.scheme == other.scheme && one.host == other.host
    }

    public func hash(into hasher: inout Hasher) { hasher.combine(parts.hash) }
}

extension Origin {
    /// `host:port` with the port in any case, as in the request for a tunnel (RFC 9112 §3.2.3).
    package var hostAndPort: String { "\(parts.bracketedHost):\(port)" }

    /// The 4 or 16 bytes of an IP literal; nil for a name.
    package var addressBytes: [UInt8]? { HostName.bytes(ofIPLiteral: host) }
}

extension Origin: CustomStringConvertible {
    /// The origin as the start of a URL, such as `https://example.com:8443`.
    public var description: String { "\(scheme.rawValue)://\(authority)" }
}

extension Origin {
    /// Whether data for this origin may go to the other one: to itself, and from http to https on the same host, with
    /// any port. The only rule for the destination of a password (security rule S7).
    public func covers(_ other: Origin) -> Bool {
        self == other || (scheme == .http && other.scheme == .https && host == other.host)
    }
}
