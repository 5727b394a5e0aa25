import Synchronization

/// Faults for the next requests, in the order in which they were added.
final class FaultQueue<Kind: Sendable>: Sendable {
    private let entries = Mutex<[(kind: Kind, remaining: Int?)]>([])

    /// Adds a fault for that many requests; nil: all.
    func add(_ kind: Kind, times: Int?) {
        entries.withLock { $0.append((kind, times)) }
    }

    /// The fault for this request.
    func take() -> Kind? {
        entries.withLock { entries in
            guard let first = entries.first else { return nil }
            entries[0].remaining = first.remaining.map { $0 - 1 }
            entries.removeAll { $0.remaining.map { $0 <= 0 } ?? false }
            return first.kind
        }
    }

    func removeAll() {
        entries.withLock { $0 = [] }
    }
}
