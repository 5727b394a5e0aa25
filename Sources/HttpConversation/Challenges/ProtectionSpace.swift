/// The origin, scheme and realm of a challenge. A credential belongs to one space and never leaves it (RFC 9110 §11.5,
/// security rule S7).
public struct ProtectionSpace: Hashable, Sendable {
    /// The server, or the proxy if `isProxy`.
    public let origin: Origin
    /// The scheme of the challenge.
    public let method: AuthenticationMethod
    /// The realm as the server sent it; empty if it sent none. Text from a peer: sanitise before showing.
    public let realm: String
    /// Whether a proxy asks. Credentials of proxies and of servers are kept apart (security rule S5).
    public let isProxy: Bool

    /// Creates a protection space.
    public init(origin: Origin, method: AuthenticationMethod, realm: String, isProxy: Bool = false) {
        self.origin = origin
        self.method = method
        self.realm = realm
        self.isProxy = isProxy
    }

    /// Hashes only the parts that usually differ: spaces are looked up with every response.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(origin)
        hasher.combine(realm)
    }

    /// The protection space of a server that asks for a client certificate.
    static func clientCertificate(of origin: Origin) -> ProtectionSpace {
        ProtectionSpace(origin: origin, method: .clientCertificate, realm: "")
    }
}

extension ProtectionSpace: CustomStringConvertible {
    /// Such as `basic "Staff" at https://example.com`, or `… at the proxy http://proxy.example.com:3128`.
    public var description: String {
        "\(method) \"\(TerminalText.sanitise(realm, limit: 60))\" at \(isProxy ? "the proxy " : "")\(origin)"
    }
}
