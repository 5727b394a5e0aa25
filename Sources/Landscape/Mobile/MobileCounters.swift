/// The counters of a landscape's mobile server since the start or the last reset.
package struct MobileCounters: Sendable, Hashable, Codable {
    /// Registered connections.
    package var registrations = 0
    /// Reads of connections.
    package var reads = 0
    /// Changes of connections.
    package var updates = 0
    /// Connections deleted by their devices.
    package var deletions = 0
    /// Requests about unknown connections.
    package var unknown = 0
    /// Requests whose field names another connection than their URL.
    package var contradictions = 0
    /// Challenges: requests without a session and without valid credentials.
    package var challenges = 0
    /// Ended sessions.
    package var logOuts = 0
    /// Sent bundles.
    package var bundles = 0

    /// All zero.
    package init() {}
}
