/// The counters of a landscape's CSRF services since the start or the last reset.
public struct CSRFCounters: Sendable, Hashable, Codable {
    /// Requests that asked for a token.
    public var fetches = 0
    /// Accepted modifying requests with the token of their session.
    public var accepted = 0
    /// Refused modifying requests.
    public var refused = 0
}
