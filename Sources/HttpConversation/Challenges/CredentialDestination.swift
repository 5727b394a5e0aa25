/// Where a credential is about to go: the URL of the exchange, and the URL of the caller's that led there.
public struct CredentialDestination: Hashable, Sendable {
    /// The URL of the exchange that would carry it.
    public let target: TargetURL
    /// The URL that the application asked for, whatever redirect, child conversation or web view has led to `target`.
    public let callersURL: TargetURL
    /// The proxy on the way to `target` that is to get it; nil: the server of `target` is.
    public let proxy: ProxyServer?

    /// Describes a destination.
    public init(target: TargetURL, callersURL: TargetURL, proxy: ProxyServer? = nil) {
        self.target = target
        self.callersURL = callersURL
        self.proxy = proxy
    }

    /// Whether it is the caller's own server: the origin of ``callersURL``, or https on its host (security rule S7). No
    /// proxy is.
    public var isCallersOwn: Bool { proxy == nil && callersURL.origin.covers(target.origin) }

    /// Whether Basic would show the password to everybody on the way, and to a server that the caller did not name:
    /// plain http off loopback, at another origin than that of ``callersURL``. A proxy was named by the configuration.
    public var exposesPassword: Bool {
        proxy == nil && target.origin.scheme == .http && target.origin != callersURL.origin && !target.origin.isLoopback
    }
}
