/// The counters of a landscape's CSRF services since the start or the last reset.
package struct CSRFCounters: Sendable, Hashable, Codable {
    /// Requests that asked for a token.
    package var fetches = 0
    /// Accepted modifying requests with the token of their session.
    package var accepted = 0
    /// Refused modifying requests.
    package var refused = 0

    /// All zero.
    package init() {}
}
