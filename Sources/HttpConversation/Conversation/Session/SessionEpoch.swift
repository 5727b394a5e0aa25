import Synchronization

/// Counts the logins that ended in a session (docs/architecture.md, rule 9).
///
/// An exchange records the epoch when it is sent. If a login ends later, its outcome answers the exchange's challenge,
/// and nobody is asked again.
package final class SessionEpoch: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The present epoch, for an exchange that is sent now.
    package var current: UInt64 { count.load(ordering: .acquiring) }

    /// Counts a login that ended; returns its epoch, which is greater than that of every exchange sent before.
    package func advance() -> UInt64 { count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}
