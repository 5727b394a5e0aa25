/// The counters of a landscape's OData services since the start or the last reset.
public struct ODataCounters: Sendable, Hashable, Codable {
    /// Requests that passed the login.
    public var requests = 0
    /// Pages of rows.
    public var pages = 0
    /// Batches.
    public var batches = 0
    /// Entities created, changed or deleted outside of batches.
    public var changes = 0
    /// Requests refused with 412.
    public var conflicts = 0
    /// Challenged requests.
    public var challenges = 0
    /// Requests refused for lack of the right CSRF token.
    public var tokenless = 0
}
