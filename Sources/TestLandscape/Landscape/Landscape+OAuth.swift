/// Controls and counters of a landscape's OAuth2 servers.
extension Landscape {
    private var oauth: OAuthServer { shared.service() }

    /// The issuer of an origin: its base URL + `/oauth2`.
    public func issuer(_ origin: LandscapeOrigin = .main) -> String {
        shared.addresses.base(of: origin) + "/oauth2"
    }

    /// The present clients, by id.
    public var oauthClients: [OAuthClient] { oauth.clients.all }

    /// Adds a client or replaces the one of the same id.
    public func addOAuthClient(_ client: OAuthClient) {
        oauth.clients.set(client)
    }

    /// Removes a client. Its tokens stay valid.
    public func removeOAuthClient(_ id: String) {
        oauth.clients.remove(id)
    }

    /// The behaviour of the OAuth2 servers. It may be changed at any time, and holds for tokens that are issued later.
    package var oauthRule: OAuthRule {
        get { oauth.rule }
        set { oauth.rule = newValue }
    }

    /// The counters of the OAuth2 servers.
    public var oauthCounters: OAuthCounters { oauth.counters.current }

    /// Issues tokens without a request, for tests that start with tokens.
    ///
    /// - Parameters:
    ///   - client: the id of a client, which gets a refresh token if it may refresh
    ///   - user: the user; nil: the client itself
    ///   - scopes: the scopes
    ///   - origin: the origin of the issuer, whose token endpoint alone accepts the refresh token
    /// - Returns: nil if the client is unknown
    public func issueTokens(
        client: String, user: String? = "alice", scopes: [String] = ["read"], origin: LandscapeOrigin = .main
    ) -> IssuedTokens? {
        guard let known = oauth.clients[client] else { return nil }
        let authorization = OAuthAuthorization(
            client: client, user: user, scopes: scopes, issuer: issuer(origin), authenticated: shared.clock.date)
        return oauth.tokens.begin(
            authorization, rule: oauth.rule, withRefreshToken: known.grants.contains(.refreshToken))
    }

    /// A signed SAML assertion for the SAML 2.0 bearer grant (RFC 7522), as XML. It works once.
    ///
    /// - Parameters:
    ///   - user: the user
    ///   - audience: the issuer that it is for; nil: that of `origin`
    ///   - lifetime: its lifetime by the landscape's clock
    ///   - origin: the origin of the token endpoint that it is for
    public func samlAssertion(
        user: String = "alice", audience: String? = nil, lifetime: Duration = .seconds(60),
        origin: LandscapeOrigin = .main
    ) throws -> String {
        let issuer = issuer(origin)
        return try oauth.persons.makeSAML(
            user: user, audience: audience ?? issuer, recipient: issuer + "/token", lifetime: lifetime)
    }

    /// Ends the present nonces for proofs of bound tokens (RFC 9449).
    public func rotateProofNonces() { oauth.proofs.rotateNonces() }

    /// Expires all access tokens. Refresh tokens stay.
    public func expireAccessTokens() {
        oauth.tokens.expireAccessTokens()
    }

    /// Ends all tokens of the user. Returns the number of their authorizations.
    @discardableResult
    public func revokeTokens(ofUser user: String) -> Int {
        oauth.tokens.revokeAll(of: user)
    }

    /// Signs ID tokens with a new key from now on. The old key stays published.
    public func rotateIDTokenKey() {
        oauth.signer.rotate()
    }

    /// Approves the device that shows the code. Returns false if no device waits with it.
    public func approveDevice(userCode: String, user: String = "alice") -> Bool {
        oauth.devices.decide(userCode: userCode, user: user)
    }

    /// Refuses the device that shows the code. Returns false if no device waits with it.
    public func denyDevice(userCode: String) -> Bool {
        oauth.devices.decide(userCode: userCode, user: nil)
    }

    // MARK: Faults

    /// Injects a fault into requests at the token endpoint.
    ///
    /// - Parameters:
    ///   - fault: the fault
    ///   - times: the number of requests that meet it; nil: all. Several faults are met in the order in which they
    ///     were added
    ///   - grant: only requests with this grant; nil: all
    package func failTokenRequests(_ fault: OAuthTokenFault, times: Int? = 1, grant: OAuthGrantType? = nil) {
        oauth.faults.add(fault, times: times, grant: grant)
    }

    /// Injects a fault into the next authorization answer.
    package func failAuthorizations(_ fault: OAuthAuthorizationFault) {
        oauth.faults.authorization.add(fault, times: 1)
    }

    /// Ends the faults and the delay of the authorization server.
    public func clearOAuthFaults() {
        oauth.faults.removeAll()
    }

    /// The interval at which a device may poll for its token; see RFC 8628, 3.5. It holds for devices that begin later.
    public var deviceInterval: Duration {
        get { oauth.rule.deviceInterval }
        set { oauth.rule.deviceInterval = newValue }
    }

    /// The delay before each token request is processed; nil: none.
    public var tokenRequestDelay: Duration? {
        get { oauth.faults.delay }
        set { oauth.faults.delay = newValue }
    }

    /// Holds all token requests of all origins until the gate is released. Held requests count as in flight.
    ///
    /// The admin API does it with `/admin/hold?path=oauth2:token`.
    public func holdTokenRequests() -> Gate {
        shared.gates.close(TokenEndpoint.gateName)
    }
}
