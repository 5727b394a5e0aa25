/// The counters of a landscape's mobile server since the start or the last reset.
public struct MobileCounters: Sendable, Hashable, Codable {
    /// Registered connections.
    public var registrations = 0
    /// Reads of connections.
    public var reads = 0
    /// Changes of connections.
    public var updates = 0
    /// Connections deleted by their devices.
    public var deletions = 0
    /// Requests about unknown connections.
    public var unknown = 0
    /// Requests whose field names another connection than their URL.
    public var contradictions = 0
    /// Challenges: requests without a session and without valid credentials.
    public var challenges = 0
    /// Ended sessions.
    public var logOuts = 0
    /// Sent bundles.
    public var bundles = 0
}
