import HttpConvFormats
public import HttpConvPlatform

/// A cookie as stored (RFC 6265 §5.3).
public struct Cookie: Hashable, Sendable, Codable {
    /// The name; empty for a nameless cookie.
    public package(set) var name: String
    /// The value as received.
    public package(set) var value: String
    /// The host that set it, or its domain, without leading dot.
    public package(set) var domain: String
    /// Whether only `domain` itself gets it, without its sub-domains.
    public package(set) var isHostOnly: Bool
    /// The path that it belongs to.
    public package(set) var path: String
    /// Its expiry; nil means with the session.
    public package(set) var expires: Date?
    /// Whether it is sent over https only.
    public package(set) var isSecure: Bool
    /// Whether scripts must not see it; recorded for web views.
    public package(set) var isHttpOnly: Bool
    /// The `SameSite` attribute as sent; recorded only: a native client has no cross-site requests.
    public package(set) var sameSite: String?
    /// The time when the name, domain and path were first stored; it decides the order in which cookies are sent.
    public package(set) var created: Date

    /// Creates a cookie, such as from a web view or a file.
    public init(
        name: String, value: String, domain: String, isHostOnly: Bool, path: String = "/", expires: Date? = nil,
        isSecure: Bool = false, isHttpOnly: Bool = false, sameSite: String? = nil, created: Date = Date()
    ) {
        self.name = name
        self.value = value
        self.domain = domain
        self.isHostOnly = isHostOnly
        self.path = path
        self.expires = expires
        self.isSecure = isSecure
        self.isHttpOnly = isHttpOnly
        self.sameSite = sameSite
        self.created = created
    }

    /// Whether requests to some path of this origin carry the cookie.
    public func concerns(_ origin: Origin) -> Bool {
        let isForHost = isHostOnly ? domain == origin.host : CookieDomain.matches(origin.host, domain)
        return isForHost && (!isSecure || origin.scheme == .https)
    }

    func hasExpired(at now: Date) -> Bool { expires.map { $0 <= now } ?? false }

    func created(at date: Date) -> Cookie {
        var copy = self
        copy.created = date
        return copy
    }
}

extension Cookie: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Name, domain and path; never the value.
    public var description: String { "\(TerminalText.sanitise(name, limit: 60))=<redacted>; \(domain)\(path)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["cookie": description]) }
}

/// The identity of a cookie: a later cookie with the same one replaces the earlier (RFC 6265 §5.3). Names and paths are
/// compared by their bytes.
public struct CookieIdentity: Hashable, Sendable {
    private let name: String
    private let domain: String
    private let path: String
    private let isHostOnly: Bool

    /// The identity of a cookie.
    public init(_ cookie: Cookie) {
        name = cookie.name
        domain = cookie.domain
        path = cookie.path
        isHostOnly = cookie.isHostOnly
    }

    public static func == (one: Self, other: Self) -> Bool {
        one.name.hasSameBytes(as: other.name) && one.domain == other.domain && one.path.hasSameBytes(as: other.path)
            && one.isHostOnly == other.isHostOnly
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(name)
        hasher.combine(domain)
        hasher.combine(path)
    }
}
