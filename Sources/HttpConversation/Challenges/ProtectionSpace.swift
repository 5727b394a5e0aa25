import HttpConvFormats

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
    /// The realm without the secrets of the request before it; nil if it has none.
    private let hiddenRealm: String?
    /// The origin without such secrets, which a redirect put into it; nil if it has none.
    private let hiddenOrigin: String?

    /// Creates a protection space.
    public init(origin: Origin, method: AuthenticationMethod, realm: String, isProxy: Bool = false) {
        self.init(origin: origin, method: method, realm: realm, isProxy: isProxy, hiddenRealm: nil, hiddenOrigin: nil)
    }

    init(
        origin: Origin, method: AuthenticationMethod, realm: String, isProxy: Bool, hiddenRealm: String?,
        hiddenOrigin: String?
    ) {
        self.origin = origin
        self.method = method
        self.realm = realm
        self.isProxy = isProxy
        self.hiddenRealm = hiddenRealm
        self.hiddenOrigin = hiddenOrigin
    }

    /// The realm as it may be shown: sanitised, at most 60 characters, and without passwords and tokens that the
    /// request carried, which some servers repeat.
    public var shownRealm: String { TerminalText.sanitise(hiddenRealm ?? realm, limit: 60) }

    /// Compares what the server sent, by its bytes, whatever the request was.
    public static func == (one: Self, other: Self) -> Bool {
        one.origin == other.origin && one.method == other.method && one.isProxy == other.isProxy
            && one.realm.hasSameBytes(as: other.realm)
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
        "\(method) \"\(shownRealm)\" at \(isProxy ? "the proxy " : "")\(hiddenOrigin ?? "\(origin)")"
    }
}
