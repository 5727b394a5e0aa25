public import HTTPTypes

/// The way of one exchange through a proxy.
///
/// Two exchanges may share a connection where their routes are equal: same proxy, same identity there (security rule S3).
public struct ProxyRoute: Hashable, Sendable {
    /// The proxy.
    public let server: ProxyServer
    /// Gives the value of `Proxy-Authorization` for a `CONNECT`; nil: the tunnel is asked for without. Requests in absolute
    /// form bring theirs among their fields.
    public let authorization: ProxyAuthorizationSource?

    /// Describes a way.
    public init(_ server: ProxyServer, authorization: ProxyAuthorizationSource? = nil) {
        self.server = server
        self.authorization = authorization
    }
}

/// Computes `Proxy-Authorization` for tunnels, each anew: Digest counts its uses. Two are equal where they speak for the
/// same credential of the same session.
public final class ProxyAuthorizationSource: Sendable {
    private let value: @Sendable (Origin) async throws -> String
    private let accepted: @Sendable (HTTPResponse) -> Void

    /// - Parameters:
    ///   - accepted: told of the head that came with a tunnel: Digest's next nonce is in it (RFC 7616 §3.5)
    ///   - value: the field's value for a tunnel to this origin
    public init(
        accepted: @escaping @Sendable (HTTPResponse) -> Void = { _ in },
        _ value: @escaping @Sendable (Origin) async throws -> String
    ) {
        self.accepted = accepted
        self.value = value
    }

    /// The field's value for a tunnel to this origin.
    public func authorization(for origin: Origin) async throws -> String { try await value(origin) }

    /// The proxy made the tunnel.
    public func received(_ response: HTTPResponse) { accepted(response) }
}

extension ProxyAuthorizationSource: Hashable {
    /// The same source.
    public static func == (one: ProxyAuthorizationSource, other: ProxyAuthorizationSource) -> Bool { one === other }
    /// By identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
