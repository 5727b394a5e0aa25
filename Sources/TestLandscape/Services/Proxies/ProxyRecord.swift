/// A request to a proxy of a landscape, with everything that the proxy saw of it.
public struct ProxyRecord: Sendable, Hashable, Codable {
    /// The kind of request.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A tunnel (RFC 9110 §9.3.6).
        case connect
        /// A request with a whole URL (RFC 9112 §3.2.2).
        case absolute
        /// A connection by SOCKS5 (RFC 1928).
        case socks5
        /// Any other request.
        case other
    }

    /// The number of the request among those of the landscape's proxies, from 0.
    public let id: Int
    /// The origin: ``LandscapeOrigin/proxy`` or ``LandscapeOrigin/secureProxy``.
    public let origin: LandscapeOrigin
    /// The connection. Equal ids mean a reused connection.
    public let connection: Int
    /// The kind of request.
    public let kind: Kind
    /// The target as sent: `host:port`, or the whole URL.
    public let target: String
    /// The header fields.
    public let fields: [HeaderField]
    /// The authenticated user; nil without valid credentials.
    public internal(set) var user: String?
    /// The status of the proxy's own answer (407, 502 …), or SOCKS5's reply. Nil before that, and for a forwarded
    /// request.
    public internal(set) var status: Int?
    /// The bytes of the client, as the proxy could read them: the head, the body, the bytes in a tunnel. At most 1 MiB.
    public internal(set) var bytes: [UInt8] = []

    /// The values of all fields of that name in any case.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether the bytes contain this text.
    public func saw(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
}
