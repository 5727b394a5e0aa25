package import HttpConvConcurrency

/// The tunable parts of the OAuth2 flow.
public struct OAuth2Settings: Sendable {
    /// The time before its expiry at which an access token is renewed by its refresh token. Short-lived tokens are
    /// renewed in the last fifth of their life. A token without a refresh token is replaced once it has expired, if the
    /// grant needs no person.
    public var refreshAhead: Duration = .seconds(60)
    /// The duration of a lease of a shared storage, unless it is extended. Other processes wait that long for a holder
    /// that is suspended, or has crashed unnoticed by the storage.
    public var leaseDuration: Duration = .seconds(30)
    /// The clock; tests replace it.
    package var clock: any WallClock = SystemClock()

    /// The defaults.
    public init() {}
}
