/// What the OAuth2 servers of a landscape have counted since the start or the last reset.
package struct OAuthCounters: Sendable, Hashable, Codable {
    /// Requests that arrived at the token endpoint.
    package var tokenRequests = 0
    /// Requests that are being answered at the token endpoint now, held ones included.
    package var tokenRequestsInFlight = 0
    /// The most requests that the token endpoint had at once.
    package var peakTokenRequests = 0
    /// Tokens issued, by `grant_type`.
    package var grants: [String: Int] = [:]
    /// Tokens issued for a refresh token.
    package var refreshes = 0
    /// Rotated refresh tokens that came again.
    package var reuseDetected = 0
    /// Authorization codes that came again.
    package var codeReplays = 0
    /// Answers `invalid_grant`, injected ones too.
    package var invalidGrants = 0
    /// Answers `invalid_client`.
    package var invalidClients = 0
    /// Answers `slow_down`.
    package var slowDowns = 0
    /// Requests that met an injected fault.
    package var injectedFaults = 0
    /// Tokens revoked by their client.
    package var revocations = 0
    /// Login forms shown, those after a wrong password too.
    package var loginForms = 0
    /// People who logged in with the form.
    package var logins = 0
    /// Wrong names or passwords, in the form and in the password grant.
    package var failedLogins = 0
    /// Authorization codes given.
    package var codes = 0
    /// Requests that a bearer token opened a resource for.
    package var bearerAccepted = 0
    /// Requests with a bearer token that was unknown, expired, revoked or malformed.
    package var bearerRefused = 0

    /// All zero.
    package init() {}
}
