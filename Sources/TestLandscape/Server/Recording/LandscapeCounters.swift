/// The counters of a landscape since its start or the last reset.
public struct LandscapeCounters: Sendable, Hashable, Codable {
    /// Requests that were answered or are being answered, recorded or not.
    public var requests = 0
    /// Final responses with status 401.
    public var unauthorized = 0
    /// Requests with a right password or Digest response.
    public var authenticated = 0
    /// Requests with a wrong password or Digest response.
    public var failedLogins = 0
    /// Cookie sessions begun.
    public var logins = 0
    /// Right Digest responses that were refused because the nonce had expired.
    public var staleNonces = 0
    /// Digest responses that were refused because their nonce count had been used before.
    public var replayedNonceCounts = 0
    /// Connections accepted by all origins.
    public var acceptedConnections = 0
    /// Connections open now.
    public var openConnections = 0
    /// Requests being answered now.
    public var inFlight = 0
    /// The maximum number of simultaneous requests.
    public var peakInFlight = 0
}

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
