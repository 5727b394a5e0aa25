/// The destination of a credential: the URL of the exchange, and the caller's URL that led there.
public struct CredentialDestination: Hashable, Sendable {
    /// The URL of the exchange that would carry it.
    public let target: TargetURL
    /// The URL that the application requested, regardless of redirects, child conversations or web views on the way to
    /// `target`.
    public let callersURL: TargetURL
    /// The proxy on the way to `target` that gets the credential; nil: the server of `target` gets it.
    public let proxy: ProxyServer?

    /// Creates a destination.
    public init(target: TargetURL, callersURL: TargetURL, proxy: ProxyServer? = nil) {
        self.target = target
        self.callersURL = callersURL
        self.proxy = proxy
    }

    /// Whether the destination is the caller's own server: the origin of ``callersURL``, or https on its host (security
    /// rule S7). Always false for a proxy.
    public var isCallersOwn: Bool { proxy == nil && callersURL.origin.covers(target.origin) }

    /// Whether a provider for `origins` serves the destination: one of these origins, or https on its host. Without
    /// origins, only the caller's own server is served (security rule S7).
    package func isServed(by origins: [Origin]) -> Bool {
        origins.isEmpty ? isCallersOwn : origins.contains { $0.covers(target.origin) }
    }

    /// Whether Basic would send the password unencrypted to a server that the caller did not name: over plain http off
    /// loopback, at another origin than that of ``callersURL``. False for a proxy, because the configuration names it.
    public var exposesPassword: Bool {
        proxy == nil && !target.origin.isSecure && target.origin != callersURL.origin
    }
}
