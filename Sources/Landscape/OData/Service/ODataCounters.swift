/// The counters of a landscape's OData services since the start or the last reset.
package struct ODataCounters: Sendable, Hashable, Codable {
    /// Requests that passed the login.
    package var requests = 0
    /// Pages of rows.
    package var pages = 0
    /// Batches.
    package var batches = 0
    /// Entities created, changed or deleted outside of batches.
    package var changes = 0
    /// Requests refused with 412.
    package var conflicts = 0
    /// Challenged requests.
    package var challenges = 0
    /// Requests refused for lack of the right CSRF token.
    package var tokenless = 0

    /// All zero.
    package init() {}
}
