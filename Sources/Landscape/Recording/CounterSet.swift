import Synchronization

/// Counters of the landscape, or of one part of it.
final class CounterSet<Counters: Sendable>: Sendable {
    private let fresh: Counters
    private let keep: @Sendable (_ now: Counters, _ fresh: inout Counters) -> Void
    private let counters: Mutex<Counters>

    /// - Parameter keep: takes over what a reset leaves as it is: what is in progress
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

    /// Starts again from zero.
    func reset() {
        update { counters in
            var fresh = fresh
            keep(counters, &fresh)
            counters = fresh
        }
    }
}
