public import Foundation

/// The tunable parts of the OAuth2 flow.
public struct OAuth2Settings: Sendable {
    /// How long before its end an access token is renewed, in seconds; short-lived tokens in the last fifth of their
    /// life.
    public var refreshAhead: TimeInterval = 60
    /// How long a lease of a shared storage lasts unless it is extended: the time that the others wait for a process
    /// that was stopped, or crashed where the storage cannot tell.
    public var leaseDuration: Duration = .seconds(30)
    /// Measures waiting for leases: they end by the time of the world, like their storages.
    var leaseClock: any Clock<Duration> & Sendable = ContinuousClock()
    /// The time of day; a test gives its own.
    package var now: @Sendable () -> Date = { Date() }

    /// The defaults.
    public init() {}
}
