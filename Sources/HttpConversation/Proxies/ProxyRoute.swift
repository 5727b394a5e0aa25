public import HTTPTypes
import Synchronization

/// The route of one exchange through a proxy.
///
/// Two exchanges may share a connection if their routes are equal: same proxy, same identity there (security rule S3).
public struct ProxyRoute: Hashable, Sendable {
    /// The proxy.
    public let server: ProxyServer
    /// Computes `Proxy-Authorization` for a `CONNECT`; nil: the tunnel is requested without it. Requests in absolute
    /// form have it among their header fields.
    public let authorization: ProxyAuthorizationSource?

    /// Creates a route.
    public init(_ server: ProxyServer, authorization: ProxyAuthorizationSource? = nil) {
        self.server = server
        self.authorization = authorization
    }
}

/// Computes `Proxy-Authorization` for tunnels, anew for each: Digest counts its uses. Each credential of a session has
/// one source.
public final class ProxyAuthorizationSource: Sendable {
    private let value: @Sendable (Origin) async throws -> String
    private let accepted: @Sendable (HTTPResponse) -> Void
    private let made = Mutex<[String]>([])
    /// The number of values that are kept: those of tunnels that are requested at the same time.
    private static let maximumMade = 8

    /// - Parameters:
    ///   - accepted: gets the response head of an accepted tunnel, which has Digest's next nonce (RFC 7616 §3.5)
    ///   - value: the field's value for a tunnel to this origin
    public init(
        accepted: @escaping @Sendable (HTTPResponse) -> Void = { _ in },
        _ value: @escaping @Sendable (Origin) async throws -> String
    ) {
        self.accepted = accepted
        self.value = value
    }

    /// The field's value for a tunnel to this origin.
    ///
    /// - Throws: the error of the login's provider
    public func authorization(for origin: Origin) async throws -> String {
        let value = try await value(origin)
        made.withLock { made in
            if !made.contains(value) { made = made.suffix(Self.maximumMade - 1) + [value] }
        }
        return value
    }

    /// The values for the latest tunnels, which the proxy may repeat (security rule S20).
    var latest: [String] { made.withLock { $0 } }

    /// Records the head with which the proxy accepted the tunnel.
    public func received(_ response: HTTPResponse) { accepted(response) }
}

extension ProxyAuthorizationSource: Hashable {
    /// A source equals only itself.
    public static func == (one: ProxyAuthorizationSource, other: ProxyAuthorizationSource) -> Bool { one === other }
    /// Hashes the identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
