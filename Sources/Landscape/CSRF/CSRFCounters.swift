/// What the CSRF services of a landscape have counted since the start or the last reset.
package struct CSRFCounters: Sendable, Hashable, Codable {
    /// Requests that asked for a token.
    package var fetches = 0
    /// Modifying requests that carried the token of their session, and were let through.
    package var accepted = 0
    /// Modifying requests that were refused.
    package var refused = 0

    /// All zero.
    package init() {}
}
