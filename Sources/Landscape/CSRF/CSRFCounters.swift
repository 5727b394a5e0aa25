/// What the CSRF services of a landscape have counted since the start or the last reset.
public struct CSRFCounters: Sendable, Hashable, Codable {
    /// Requests that asked for a token.
    public var fetches = 0
    /// Modifying requests that carried the token of their session, and were let through.
    public var accepted = 0
    /// Modifying requests that were refused.
    public var refused = 0

    /// All zero.
    public init() {}
}
