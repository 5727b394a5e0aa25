/// What tests change in, and ask of, the OAuth2 servers of a landscape.
extension Landscape {
    /// The issuer of an origin: its base URL + `/oauth2`.
    public func issuer(_ origin: LandscapeOrigin = .main) -> String {
        world.addresses.base(of: origin) + "/oauth2"
    }

    /// The clients at present, by id.
    public var oauthClients: [OAuthClient] { world.oauth.clients.all }

    /// Adds a client or replaces the one of the same id.
    public func addOAuthClient(_ client: OAuthClient) {
        world.oauth.clients.set(client)
    }

    /// Removes a client; its tokens keep opening the resources.
    public func removeOAuthClient(_ id: String) {
        world.oauth.clients.remove(id)
    }

    /// Lifetimes and habits; may be changed at any time, for what is issued from then on.
    package var oauthRule: OAuthRule {
        get { world.oauth.rule }
        set { world.oauth.rule = newValue }
    }

    /// What the OAuth2 servers have counted.
    package var oauthCounters: OAuthCounters { world.oauth.tally.current }

    /// Issues tokens without any request, for tests that begin with some.
    ///
    /// - Parameters:
    ///   - client: The id of a client; it gets a refresh token if it may refresh.
    ///   - user: For whom; nil means for the client itself.
    ///   - scopes: What for.
    ///   - origin: Whose issuer; only its token endpoint takes the refresh token.
    /// - Returns: nil if there is no such client.
    package func issueTokens(
        client: String, user: String? = "alice", scopes: [String] = ["read"], origin: LandscapeOrigin = .main
    ) -> IssuedTokens? {
        guard let known = world.oauth.clients[client] else { return nil }
        let authorization = OAuthAuthorization(
            client: client, user: user, scopes: scopes, issuer: issuer(origin), authenticated: world.clock.date)
        return world.oauth.tokens.begin(
            authorization, rule: world.oauth.rule, withRefreshToken: known.grants.contains(.refreshToken))
    }

    /// Ends all access tokens at once; refresh tokens stay.
    public func expireAccessTokens() {
        world.oauth.tokens.expireAccessTokens()
    }

    /// Ends all tokens of the user; returns how many authorizations that were.
    @discardableResult
    public func revokeTokens(ofUser user: String) -> Int {
        world.oauth.tokens.revokeAll(of: user)
    }

    /// Signs ID tokens with a new key from now on; the old one stays published.
    public func rotateIDTokenKey() {
        world.oauth.signer.rotate()
    }

    /// Approves the device that shows the code; false if none waits with it.
    public func approveDevice(userCode: String, user: String = "alice") -> Bool {
        world.oauth.devices.decide(userCode: userCode, user: user)
    }

    /// Refuses the device that shows the code; false if none waits with it.
    public func denyDevice(userCode: String) -> Bool {
        world.oauth.devices.decide(userCode: userCode, user: nil)
    }

    // MARK: Faults

    /// Lets requests at the token endpoint go wrong.
    ///
    /// - Parameters:
    ///   - fault: What goes wrong.
    ///   - times: How many requests meet it; nil means all. Faults wait for each other in the order they came.
    ///   - grant: Only requests with this grant; nil means all.
    package func failTokenRequests(_ fault: OAuthTokenFault, times: Int? = 1, grant: OAuthGrantType? = nil) {
        world.oauth.faults.add(fault, times: times, grant: grant)
    }

    /// Lets authorization answers go wrong; nil `times` means all of them.
    package func failAuthorizations(_ fault: OAuthAuthorizationFault, times: Int? = 1) {
        world.oauth.faults.add(fault, times: times)
    }

    /// Ends the faults and the delay of the authorization server.
    public func clearOAuthFaults() {
        world.oauth.faults.removeAll()
    }

    /// How long each token request waits before it is looked at; nil means not at all.
    public var tokenRequestDelay: Duration? {
        get { world.oauth.faults.delay }
        set { world.oauth.faults.delay = newValue }
    }

    /// Holds all token requests of all origins until the gate is released; they count as in flight.
    ///
    /// The admin API does it with `/admin/hold?path=oauth2:token`.
    public func holdTokenRequests() -> Gate {
        world.gates.close(TokenEndpoint.gateName)
    }
}
