import Synchronization

/// The counters of the landscape, or of one part of it.
final class CounterSet<Counters: Sendable>: Sendable {
    private let fresh: Counters
    private let keep: @Sendable (_ now: Counters, _ fresh: inout Counters) -> Void
    private let counters: Mutex<Counters>

    /// - Parameter keep: copies the counters that survive a reset, such as requests in progress
    init(
        _ fresh: Counters, keep: @escaping @Sendable (_ now: Counters, _ fresh: inout Counters) -> Void = { _, _ in }
    ) {
        self.fresh = fresh
        self.keep = keep
        counters = Mutex(fresh)
    }

    var current: Counters { counters.withLock { $0 } }

    func count(_ key: any WritableKeyPath<Counters, Int> & Sendable, by amount: Int = 1) {
        update { $0[keyPath: key] += amount }
    }

    func update(_ change: (inout Counters) -> Void) {
        counters.withLock { change(&$0) }
    }

    /// Resets the counters to zero.
    func reset() {
        update { counters in
            var fresh = fresh
            keep(counters, &fresh)
            counters = fresh
        }
    }
}
