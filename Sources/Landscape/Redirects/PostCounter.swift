import Synchronization

/// Counts the POSTs that were answered with a 303.
final class PostCounter: Sendable {
    private let value = Mutex(0)

    var count: Int { value.withLock { $0 } }

    func increment() {
        value.withLock { $0 += 1 }
    }

    func reset() {
        value.withLock { $0 = 0 }
    }
}
