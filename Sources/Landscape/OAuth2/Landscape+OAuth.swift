/// Controls and counters of a landscape's OAuth2 servers.
extension Landscape {
    /// The issuer of an origin: its base URL + `/oauth2`.
    public func issuer(_ origin: LandscapeOrigin = .main) -> String {
        world.addresses.base(of: origin) + "/oauth2"
    }

    /// The present clients, by id.
    public var oauthClients: [OAuthClient] { world.oauth.clients.all }

    /// Adds a client or replaces the one of the same id.
    public func addOAuthClient(_ client: OAuthClient) {
        world.oauth.clients.set(client)
    }

    /// Removes a client. Its tokens stay valid.
    public func removeOAuthClient(_ id: String) {
        world.oauth.clients.remove(id)
    }

    /// The behaviour of the OAuth2 servers. It may be changed at any time, and holds for tokens that are issued later.
    package var oauthRule: OAuthRule {
        get { world.oauth.rule }
        set { world.oauth.rule = newValue }
    }

    /// The counters of the OAuth2 servers.
    package var oauthCounters: OAuthCounters { world.oauth.tally.current }

    /// Issues tokens without a request, for tests that start with tokens.
    ///
    /// - Parameters:
    ///   - client: The id of a client. It gets a refresh token if it may refresh.
    ///   - user: The user; nil means the client itself.
    ///   - scopes: The scopes.
    ///   - origin: The origin of the issuer. Only its token endpoint accepts the refresh token.
    /// - Returns: nil if the client is unknown.
    package func issueTokens(
        client: String, user: String? = "alice", scopes: [String] = ["read"], origin: LandscapeOrigin = .main
    ) -> IssuedTokens? {
        guard let known = world.oauth.clients[client] else { return nil }
        let authorization = OAuthAuthorization(
            client: client, user: user, scopes: scopes, issuer: issuer(origin), authenticated: world.clock.date)
        return world.oauth.tokens.begin(
            authorization, rule: world.oauth.rule, withRefreshToken: known.grants.contains(.refreshToken))
    }

    /// Expires all access tokens. Refresh tokens stay.
    public func expireAccessTokens() {
        world.oauth.tokens.expireAccessTokens()
    }

    /// Ends all tokens of the user. Returns the number of their authorizations.
    @discardableResult
    public func revokeTokens(ofUser user: String) -> Int {
        world.oauth.tokens.revokeAll(of: user)
    }

    /// Signs ID tokens with a new key from now on. The old key stays published.
    public func rotateIDTokenKey() {
        world.oauth.signer.rotate()
    }

    /// Approves the device that shows the code. Returns false if no device waits with it.
    public func approveDevice(userCode: String, user: String = "alice") -> Bool {
        world.oauth.devices.decide(userCode: userCode, user: user)
    }

    /// Refuses the device that shows the code. Returns false if no device waits with it.
    public func denyDevice(userCode: String) -> Bool {
        world.oauth.devices.decide(userCode: userCode, user: nil)
    }

    // MARK: Faults

    /// Injects a fault into requests at the token endpoint.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - times: The number of requests that meet it; nil means all. Several faults are met in the order in which they
    ///     were added.
    ///   - grant: Only requests with this grant; nil means all.
    package func failTokenRequests(_ fault: OAuthTokenFault, times: Int? = 1, grant: OAuthGrantType? = nil) {
        world.oauth.faults.add(fault, times: times, grant: grant)
    }

    /// Injects a fault into authorization answers; nil `times` means all of them.
    package func failAuthorizations(_ fault: OAuthAuthorizationFault, times: Int? = 1) {
        world.oauth.faults.add(fault, times: times)
    }

    /// Ends the faults and the delay of the authorization server.
    public func clearOAuthFaults() {
        world.oauth.faults.removeAll()
    }

    /// The delay before each token request is processed; nil means none.
    public var tokenRequestDelay: Duration? {
        get { world.oauth.faults.delay }
        set { world.oauth.faults.delay = newValue }
    }

    /// Holds all token requests of all origins until the gate is released. Held requests count as in flight.
    ///
    /// The admin API does it with `/admin/hold?path=oauth2:token`.
    public func holdTokenRequests() -> Gate {
        world.gates.close(TokenEndpoint.gateName)
    }
}
