/// The counters of a landscape's OAuth2 servers since the start or the last reset.
public struct OAuthCounters: Sendable, Hashable, Codable {
    /// Requests at the token endpoint.
    public var tokenRequests = 0
    /// Requests in progress at the token endpoint, held ones included.
    public var tokenRequestsInFlight = 0
    /// The maximum number of simultaneous requests at the token endpoint.
    public var peakTokenRequests = 0
    /// Tokens issued, by `grant_type`.
    public var grants: [String: Int] = [:]
    /// Tokens issued for a refresh token.
    public var refreshes = 0
    /// Repeated uses of rotated refresh tokens.
    public var reuseDetected = 0
    /// Repeated uses of authorization codes.
    public var codeReplays = 0
    /// Answers `invalid_grant`, injected ones included.
    public var invalidGrants = 0
    /// Answers `invalid_client`.
    public var invalidClients = 0
    /// Answers `slow_down`.
    public var slowDowns = 0
    /// Requests that met an injected fault.
    public var injectedFaults = 0
    /// Tokens revoked by their client.
    public var revocations = 0
    /// Shown login forms, also those after a wrong password.
    public var loginForms = 0
    /// Logins with the form.
    public var logins = 0
    /// Wrong names or passwords, in the form and in the password grant.
    public var failedLogins = 0
    /// Issued authorization codes.
    public var codes = 0
    /// Requests that were accepted for their bearer token.
    public var bearerAccepted = 0
    /// Requests with a bearer token that was unknown, expired, revoked or malformed.
    public var bearerRefused = 0

    /// Pushed authorization requests.
    public var pushedRequests = 0
    /// Refused proofs for bound tokens, without those that lacked the present nonce.
    public var refusedProofs = 0
    /// Proofs that lacked the present nonce.
    public var noncesDemanded = 0
    /// Bound tokens that came as bearer tokens.
    public var boundTokensAsBearer = 0
    /// Sessions that a client ended (OpenID Connect RP-Initiated Logout).
    public var endedSessions = 0

    /// All zero.
    package init() {}
}

extension CounterSet<OAuthCounters> {
    convenience init() {
        self.init(OAuthCounters()) { now, fresh in
            fresh.tokenRequestsInFlight = now.tokenRequestsInFlight
            fresh.peakTokenRequests = now.tokenRequestsInFlight
        }
    }

    func countGrant(_ type: OAuthGrantType) {
        update {
            $0.grants[type.rawValue, default: 0] += 1
            if type == .refreshToken { $0.refreshes += 1 }
        }
    }

    func beginTokenRequest() {
        update {
            $0.tokenRequests += 1
            $0.tokenRequestsInFlight += 1
            $0.peakTokenRequests = max($0.peakTokenRequests, $0.tokenRequestsInFlight)
        }
    }

    func endTokenRequest() { count(\.tokenRequestsInFlight, by: -1) }
}
