/// A request that a proxy of a landscape got, and everything that it saw of it.
public struct ProxyRecord: Sendable, Hashable, Codable {
    /// What the proxy was asked for.
    public enum Kind: String, Sendable, Hashable, Codable {
        /// A tunnel (RFC 9110 §9.3.6).
        case connect
        /// A request with a whole URL (RFC 9112 §3.2.2).
        case absolute
        /// A connection by SOCKS5 (RFC 1928).
        case socks5
        /// Something else.
        case other
    }

    /// Counts the requests to the proxies of a landscape, from 0.
    public let id: Int
    /// ``LandscapeOrigin/proxy`` or ``LandscapeOrigin/secureProxy``.
    public let origin: LandscapeOrigin
    /// The connection it came over; equal ids mean a reused connection.
    public let connection: Int
    /// What was asked for.
    public let kind: Kind
    /// `host:port`, or the whole URL, as sent.
    public let target: String
    /// The header fields.
    public let fields: [HeaderField]
    /// Whose password was right; nil where there was none or a wrong one.
    public internal(set) var user: String?
    /// The status of an answer of the proxy's own (407, 502 …), or SOCKS5's reply; nil while there is none, and of a request
    /// that was passed on.
    public internal(set) var status: Int?
    /// What the client sent, as the proxy could read it: the head, a body, what went through a tunnel. At most 1 MiB.
    public internal(set) var bytes: [UInt8] = []

    /// The values of all fields of that name, whatever its case.
    public func values(of name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Whether the bytes hold this text.
    public func saw(_ text: String) -> Bool { bytes.firstRange(of: Array(text.utf8)) != nil }
}
