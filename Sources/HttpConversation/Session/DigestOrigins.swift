import Synchronization

/// The origins that have offered Digest to one identity: none of them gets a password by Basic any more, whatever the
/// realm (security rule S10). Somebody on the way could offer Basic instead of the Digest that the server wants.
package final class DigestOrigins: Sendable {
    private let origins = Mutex<Set<Origin>>([])
    /// So that a request of a session without any costs one atomic load.
    private let isEmpty = Atomic<Bool>(true)

    init() {}

    /// Remembers that an origin has offered Digest.
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
