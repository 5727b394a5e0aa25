import Synchronization

/// The counters behind ``LandscapeCounters``.
final class Tally: Sendable {
    private let counters = Mutex(LandscapeCounters())

    var current: LandscapeCounters { counters.withLock { $0 } }

    func count(_ key: any WritableKeyPath<LandscapeCounters, Int> & Sendable, by amount: Int = 1) {
        counters.withLock { $0[keyPath: key] += amount }
    }

    func begin() {
        counters.withLock {
            $0.requests += 1
            $0.inFlight += 1
            $0.peakInFlight = max($0.peakInFlight, $0.inFlight)
        }
    }

    func end() {
        counters.withLock { $0.inFlight -= 1 }
    }

    /// Starts again from zero; what is open now stays counted.
    func reset() {
        counters.withLock { counters in
            var fresh = LandscapeCounters()
            fresh.openConnections = counters.openConnections
            fresh.inFlight = counters.inFlight
            fresh.peakInFlight = counters.inFlight
            counters = fresh
        }
    }
}
