/// What the mobile server of a landscape has counted since the start or the last reset.
package struct MobileCounters: Sendable, Hashable, Codable {
    /// Connections that were registered.
    package var registrations = 0
    /// Connections that were read.
    package var reads = 0
    /// Connections that were changed.
    package var updates = 0
    /// Connections that were deleted by their devices.
    package var deletions = 0
    /// Requests about connections that are unknown.
    package var unknown = 0
    /// Requests whose field names another connection than their URL.
    package var contradictions = 0
    /// Requests without a session, and without the right to one.
    package var challenges = 0
    /// Sessions that were ended.
    package var logOuts = 0
    /// Bundles that were sent.
    package var bundles = 0

    /// All zero.
    package init() {}
}
