/// Controls, counters and records of a running landscape.
extension Landscape {
    // MARK: Users, sessions, nonces

    /// Adds a user or replaces the one of the same name.
    public func addUser(_ user: LandscapeUser) {
        shared.users.set(user)
    }

    /// Adds a user of all realms, or only of `realms`.
    public func addUser(
        _ name: String, password: String, realms: Set<String>? = nil, totpSecret: String? = nil
    ) {
        shared.users.set(LandscapeUser(name: name, password: password, realms: realms, totpSecret: totpSecret))
    }

    /// Removes the user, whose credentials are refused from now on.
    public func removeUser(_ name: String) {
        shared.users.remove(named: name)
    }

    /// The users at present, by name.
    public var users: [LandscapeUser] { shared.users.all }

    /// The lifetime and use of Digest nonces. It may be changed at any time.
    package var nonceRule: NonceRule {
        get { shared.nonces.rule }
        set { shared.nonces.rule = newValue }
    }

    /// Makes all Digest nonces issued so far stale.
    public func expireNonces() {
        shared.nonces.expireAll()
    }

    /// Ends all cookie sessions, also those of the OAuth2 and SAML2 logins and of the second factor.
    public func expireSessions() {
        shared.endSessions()
    }

    // MARK: Faults

    /// Injects a fault into requests for a path.
    ///
    /// - Parameters:
    ///   - fault: the fault
    ///   - path: the exact path without query, or a prefix that ends in `*`
    ///   - origin: the origin; nil: all but ``LandscapeOrigin/raw``
    ///   - times: the number of requests that meet it; nil: all
    /// - Returns: a number for ``removeFault(_:)``
    @discardableResult
    public func inject(
        _ fault: Fault.Kind, at path: String, on origin: LandscapeOrigin? = nil, times: Int? = nil
    ) -> Int {
        shared.faults.add(Fault(fault), at: path, on: origin, times: times)
    }

    /// Removes one fault.
    public func removeFault(_ id: Int) {
        shared.faults.remove(id)
    }

    /// Removes all faults.
    public func clearFaults() {
        shared.faults.removeAll()
    }

    /// Holds all requests for the path (without query) until the gate is released or the landscape stops.
    public func hold(_ path: String) -> Gate {
        shared.gates.close(path)
    }

    /// Closes all connections at once, as at a restart of the server.
    public func closeAllConnections() async {
        for connection in shared.connections.all { await connection.abort() }
    }

    // MARK: Records

    /// The recorded requests, oldest first; nil conditions match everything.
    public func requests(
        path: String? = nil, origin: LandscapeOrigin? = nil, method: String? = nil, status: Int? = nil
    ) -> [RecordedRequest] {
        shared.recorder.requests { request in
            (path == nil || request.path == path) && (origin == nil || request.origin == origin)
                && (method == nil || request.method == method) && (status == nil || request.status == status)
        }
    }

    /// The number of requests for the path (without query) that have arrived, on all origins.
    public func count(path: String) -> Int {
        shared.recorder.count(path: path)
    }

    /// Returns when the heads of `count` requests for the path have arrived.
    ///
    /// Throws `CancellationError`, or ``LandscapeError`` if the landscape stops before. While recording is off, no
    /// request counts as arrived.
    public func waitFor(count: Int, path: String) async throws {
        try await shared.recorder.wait(count: count, path: path)
    }

    /// The present counters.
    public var counters: LandscapeCounters { shared.counters.current }

    /// Whether requests are recorded; switch it off for benchmarks.
    public var recordsRequests: Bool {
        get { shared.recorder.isEnabled }
        set { shared.recorder.isEnabled = newValue }
    }

    /// Forgets records, counts, faults, gates, raw scripts, sessions, nonces, tokens and logins.
    ///
    /// Users, OAuth2 clients and connections stay.
    public func reset() {
        shared.reset()
    }

    // MARK: Proxies

    /// The behaviour of the proxies at ``LandscapeOrigin/proxy`` and ``LandscapeOrigin/secureProxy``. It may be changed
    /// at any time.
    public var proxyRule: LandscapeProxyRule {
        get { shared.service(ProxyServer.self).rule }
        set { shared.service(ProxyServer.self).rule = newValue }
    }

    /// The recorded requests to the proxies, oldest first.
    public var proxyRecords: [ProxyRecord] { shared.service(ProxyServer.self).records }
}
