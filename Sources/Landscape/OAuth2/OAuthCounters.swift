/// What the OAuth2 servers of a landscape have counted since the start or the last reset.
public struct OAuthCounters: Sendable, Hashable, Codable {
    /// Requests that arrived at the token endpoint.
    public var tokenRequests = 0
    /// Requests that are being answered at the token endpoint now, held ones included.
    public var tokenRequestsInFlight = 0
    /// The most requests that the token endpoint had at once.
    public var peakTokenRequests = 0
    /// Tokens issued, by `grant_type`.
    public var grants: [String: Int] = [:]
    /// Tokens issued for a refresh token.
    public var refreshes = 0
    /// Rotated refresh tokens that came again.
    public var reuseDetected = 0
    /// Authorization codes that came again.
    public var codeReplays = 0
    /// Answers `invalid_grant`, injected ones too.
    public var invalidGrants = 0
    /// Answers `invalid_client`.
    public var invalidClients = 0
    /// Answers `slow_down`.
    public var slowDowns = 0
    /// Requests that met an injected fault.
    public var injectedFaults = 0
    /// Tokens revoked by their client.
    public var revocations = 0
    /// Login forms shown, those after a wrong password too.
    public var loginForms = 0
    /// People who logged in with the form.
    public var logins = 0
    /// Wrong names or passwords, in the form and in the password grant.
    public var failedLogins = 0
    /// Authorization codes given.
    public var codes = 0
    /// Requests that a bearer token opened a resource for.
    public var bearerAccepted = 0
    /// Requests with a bearer token that was unknown, expired, revoked or malformed.
    public var bearerRefused = 0

    /// All zero.
    public init() {}
}
