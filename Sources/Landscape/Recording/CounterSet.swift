import Synchronization

/// Counters of one part of the landscape.
final class CounterSet<Counters: Sendable>: Sendable {
    private let fresh: Counters
    private let counters: Mutex<Counters>

    init(_ fresh: Counters) {
        self.fresh = fresh
        counters = Mutex(fresh)
    }

    var current: Counters { counters.withLock { $0 } }

    func count(_ key: any WritableKeyPath<Counters, Int> & Sendable) {
        counters.withLock { $0[keyPath: key] += 1 }
    }

    func reset() {
        counters.withLock { $0 = fresh }
    }
}
