import Synchronization

/// Counts the logins that ended in a session (docs/architecture.md, rule 9).
///
/// An exchange is stamped when it is sent. A login that ended later than the stamp speaks for that exchange too: its
/// challenge is answered by the login's outcome, and nobody is asked again.
package final class SessionEpoch: Sendable {
    private let count = Atomic<UInt64>(0)

    /// The stamp for an exchange that is sent now.
    package var current: UInt64 { count.load(ordering: .acquiring) }

    /// A login ended: the stamp of its outcome, greater than that of every exchange sent before.
    package func advance() -> UInt64 { count.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue }
}
