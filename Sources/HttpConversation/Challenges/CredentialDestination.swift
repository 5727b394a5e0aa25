/// Where a credential is about to go: the URL of the exchange, and the URL of the caller's that led there.
public struct CredentialDestination: Hashable, Sendable {
    /// The URL of the exchange that would carry it.
    public let target: TargetURL
    /// The URL that the application asked for, whatever redirect, child conversation or web view has led to `target`.
    public let callersURL: TargetURL

    /// Describes a destination.
    public init(target: TargetURL, callersURL: TargetURL) {
        self.target = target
        self.callersURL = callersURL
    }

    /// Whether it is the caller's own server: the origin of ``callersURL``, or https on its host (security rule S7).
    public var isCallersOwn: Bool { callersURL.origin.covers(target.origin) }

    /// Whether Basic would show the password to everybody on the way, and to a server that the caller did not name:
    /// plain http off loopback, at another origin than that of ``callersURL``.
    public var exposesPassword: Bool {
        target.origin.scheme == .http && target.origin != callersURL.origin && !target.origin.isLoopback
    }
}
