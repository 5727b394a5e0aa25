import Synchronization

/// The origins that have offered Digest in one session. No realm of these origins gets a password by Basic any more
/// (security rule S10). An attacker on the way could offer Basic instead of the server's Digest.
package final class DigestOrigins: Sendable {
    private let origins = Mutex<Set<Origin>>([])
    /// Whether there are none. While it is true, a request costs one atomic load.
    private let isEmpty = Atomic<Bool>(true)

    init() {}

    /// Records that an origin has offered Digest.
    package func insert(_ origin: Origin) {
        origins.withLock { _ = $0.insert(origin) }
        isEmpty.store(false, ordering: .releasing)
    }

    /// Whether an origin has offered Digest.
    package func contains(_ origin: Origin) -> Bool {
        guard !isEmpty.load(ordering: .acquiring) else { return false }
        return origins.withLock { $0.contains(origin) }
    }
}
