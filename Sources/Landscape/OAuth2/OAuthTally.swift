/// The counters behind ``OAuthCounters``.
typealias OAuthTally = CounterSet<OAuthCounters>

extension CounterSet<OAuthCounters> {
    convenience init() {
        self.init(OAuthCounters()) { now, fresh in
            fresh.tokenRequestsInFlight = now.tokenRequestsInFlight
            fresh.peakTokenRequests = now.tokenRequestsInFlight
        }
    }

    func countGrant(_ type: OAuthGrantType) {
        update {
            $0.grants[type.rawValue, default: 0] += 1
            if type == .refreshToken { $0.refreshes += 1 }
        }
    }

    func beginTokenRequest() {
        update {
            $0.tokenRequests += 1
            $0.tokenRequestsInFlight += 1
            $0.peakTokenRequests = max($0.peakTokenRequests, $0.tokenRequestsInFlight)
        }
    }

    func endTokenRequest() { count(\.tokenRequestsInFlight, by: -1) }
}
