import Synchronization

/// The shared state of a landscape's origins.
final class World: Sendable {
    let configuration: LandscapeConfiguration
    let clock: LandscapeClock
    let certificates: LandscapeCertificates
    let users: UserDirectory
    let recorder: Recorder
    let tally = Tally()
    let connections: ConnectionTable
    let gates = GateTable()
    let faults = FaultTable()
    let wireScripts = WireScriptTable()
    let nonces: NonceStore
    let sessions: SessionStore
    let addresses = OriginAddresses()
    let adminToken: String
    let httpDate = HTTPDateCache()
    let posts = PostCounter()
    let oauth: OAuthServer
    let saml: SAMLServer
    let otp: OTPServer
    let csrf = CSRFTokenStore()
    let proxies = ProxyWorld()
    let mobile: MobileServer
    let enrolment = EnrolmentServer()
    let odata: ODataServer

    init(_ configuration: LandscapeConfiguration) throws(LandscapeError) {
        self.configuration = configuration
        clock = configuration.clock
        certificates = try LandscapeCertificates(extraHostNames: configuration.extraHostNames)
        users = UserDirectory(configuration.users)
        recorder = Recorder(capacity: configuration.recordingCapacity, enabled: configuration.recordsRequests)
        connections = ConnectionTable(tally: tally)
        nonces = NonceStore(clock: configuration.clock, rule: configuration.nonceRule)
        sessions = SessionStore(clock: configuration.clock, lifetime: configuration.sessionLifetime)
        adminToken = RandomToken.make()
        oauth = OAuthServer(configuration)
        if oauth.clients["signer"] == nil {
            oauth.clients.set(.signer(publicKeyPEM: certificates.assertionPublicKeyPEM))
        }
        saml = SAMLServer(configuration)
        otp = OTPServer(configuration)
        mobile = MobileServer(configuration)
        odata = ODataServer(configuration)
    }

    /// Records a request's head. Returns nil while recording is off, and for requests of the admin API and for the
    /// stylesheet.
    func record(
        origin: LandscapeOrigin, connection: Int, method: String, target: String, certificate: String? = nil,
        fields: [HeaderField]
    ) -> Int? {
        let path = String(target.prefix { $0 != "?" })
        guard !path.hasPrefix("/admin/"), path != PageStyle.path else { return nil }
        return recorder.add(path: path) { id in
            RecordedRequest(
                id: id, origin: origin, connection: connection, time: clock.date,
                method: method, target: target, certificate: certificate, fields: fields)
        }
    }

    /// Notes that the head of a final response is about to be written. A wire script may have no status.
    func answered(on connection: Connection, status: Int?) {
        if status == 401 { tally.count(\.unauthorized) }
        recorder.update(connection.dequeueAnswered()) { $0.status = status }
    }

    /// Ends all cookie sessions.
    func endSessions() {
        sessions.endAll()
        oauth.browsers.endAll()
        saml.sessions.endAll()
        saml.browsers.endAll()
        otp.firstFactors.endAll()
        otp.sessions.endAll()
        mobile.sessions.endAll()
        odata.tokens.endSessions()
    }

    /// The text that `httpc landscape` prints, without the admin token.
    var contents: TableOfContents { TableOfContents(world: self) }

    /// Forgets records, counters, faults, gates, sessions, nonces, tokens and logins. Users and clients stay.
    func reset() {
        recorder.reset()
        tally.reset()
        faults.removeAll()
        gates.openAll()
        wireScripts.removeAll()
        nonces.expireAll()
        sessions.endAll()
        posts.reset()
        oauth.reset()
        saml.reset()
        otp.reset()
        csrf.reset()
        proxies.reset()
        mobile.reset()
        enrolment.reset()
        odata.reset()
    }
}
