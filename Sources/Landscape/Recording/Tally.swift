/// The counters behind ``LandscapeCounters``.
typealias Tally = CounterSet<LandscapeCounters>

extension CounterSet<LandscapeCounters> {
    convenience init() {
        self.init(LandscapeCounters()) { now, fresh in
            fresh.openConnections = now.openConnections
            fresh.inFlight = now.inFlight
            fresh.peakInFlight = now.inFlight
        }
    }

    func begin() {
        update {
            $0.requests += 1
            $0.inFlight += 1
            $0.peakInFlight = max($0.peakInFlight, $0.inFlight)
        }
    }

    func end() { count(\.inFlight, by: -1) }
}
