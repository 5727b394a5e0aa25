/// The counters of a landscape's OAuth2 servers since the start or the last reset.
package struct OAuthCounters: Sendable, Hashable, Codable {
    /// Requests at the token endpoint.
    package var tokenRequests = 0
    /// Requests in progress at the token endpoint, held ones included.
    package var tokenRequestsInFlight = 0
    /// The maximum number of simultaneous requests at the token endpoint.
    package var peakTokenRequests = 0
    /// Tokens issued, by `grant_type`.
    package var grants: [String: Int] = [:]
    /// Tokens issued for a refresh token.
    package var refreshes = 0
    /// Repeated uses of rotated refresh tokens.
    package var reuseDetected = 0
    /// Repeated uses of authorization codes.
    package var codeReplays = 0
    /// Answers `invalid_grant`, injected ones included.
    package var invalidGrants = 0
    /// Answers `invalid_client`.
    package var invalidClients = 0
    /// Answers `slow_down`.
    package var slowDowns = 0
    /// Requests that met an injected fault.
    package var injectedFaults = 0
    /// Tokens revoked by their client.
    package var revocations = 0
    /// Shown login forms, also those after a wrong password.
    package var loginForms = 0
    /// Logins with the form.
    package var logins = 0
    /// Wrong names or passwords, in the form and in the password grant.
    package var failedLogins = 0
    /// Issued authorization codes.
    package var codes = 0
    /// Requests that were accepted for their bearer token.
    package var bearerAccepted = 0
    /// Requests with a bearer token that was unknown, expired, revoked or malformed.
    package var bearerRefused = 0

    /// All zero.
    package init() {}
}
