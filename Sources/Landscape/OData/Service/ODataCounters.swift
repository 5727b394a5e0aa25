/// What the OData services of a landscape have counted since the start or the last reset.
package struct ODataCounters: Sendable, Hashable, Codable {
    /// Requests that came past the login.
    package var requests = 0
    /// Pages of rows.
    package var pages = 0
    /// Batches.
    package var batches = 0
    /// Entities that were created, changed or deleted outside of batches.
    package var changes = 0
    /// Requests that were refused with 412.
    package var conflicts = 0
    /// Requests that were challenged.
    package var challenges = 0
    /// Requests without the right CSRF token.
    package var tokenless = 0

    /// All zero.
    package init() {}
}
