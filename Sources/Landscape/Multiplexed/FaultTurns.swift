import Synchronization

/// Whose turn it is where every other request meets a fault.
final class FaultTurns: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    /// Whether this request for a path is to meet it: the first does.
    func take(_ path: String) -> Bool {
        counts.withLock { counts in
            counts[path, default: 0] += 1
            return counts[path, default: 0] % 2 == 1
        }
    }
}
