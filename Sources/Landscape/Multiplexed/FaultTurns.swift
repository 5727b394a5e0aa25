import Synchronization

/// Selects every other request for a fault.
final class FaultTurns: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Whether this request meets the fault. The first one does.
    func take(_ path: String) -> Bool {
        counts.withLock { counts in
            counts[path, default: 0] += 1
            return counts[path, default: 0] % 2 == 1
        }
    }
}
