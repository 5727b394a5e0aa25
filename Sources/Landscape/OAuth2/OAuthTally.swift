import Synchronization

/// The counters behind ``OAuthCounters``.
final class OAuthTally: Sendable {
    private let counters = Mutex(OAuthCounters())

    var current: OAuthCounters { counters.withLock { $0 } }

    func count(_ key: any WritableKeyPath<OAuthCounters, Int> & Sendable) {
        counters.withLock { $0[keyPath: key] += 1 }
    }

    func countGrant(_ type: OAuthGrantType) {
        counters.withLock {
            $0.grants[type.rawValue, default: 0] += 1
            if type == .refreshToken { $0.refreshes += 1 }
        }
    }

    func beginTokenRequest() {
        counters.withLock {
            $0.tokenRequests += 1
            $0.tokenRequestsInFlight += 1
            $0.peakTokenRequests = max($0.peakTokenRequests, $0.tokenRequestsInFlight)
        }
    }

    func endTokenRequest() {
        counters.withLock { $0.tokenRequestsInFlight -= 1 }
    }

    /// Starts again from zero; what is in progress stays counted.
    func reset() {
        counters.withLock { counters in
            var fresh = OAuthCounters()
            fresh.tokenRequestsInFlight = counters.tokenRequestsInFlight
            fresh.peakTokenRequests = counters.tokenRequestsInFlight
            counters = fresh
        }
    }
}
