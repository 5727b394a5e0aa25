/// The configuration of a landscape.
public struct LandscapeConfiguration: Sendable {
    /// The first of twelve consecutive fixed ports; nil (the default) lets the system choose free ones.
    public var basePort: Int?
    /// The users; ``LandscapeUser/defaults`` unless changed.
    public var users: [LandscapeUser] = LandscapeUser.defaults
    /// Host names of the server certificate besides 127.0.0.1, ::1 and localhost.
    public var extraHostNames: [String] = []
    /// The lifetime and use of Digest nonces.
    package var nonceRule = NonceRule()
    /// The time without use after which a cookie session ends, by the landscape's clock.
    public var sessionLifetime: Duration = .seconds(1800)
    /// The clients of the OAuth2 authorization server; ``OAuthClient/defaults`` unless changed.
    public var oauthClients: [OAuthClient] = OAuthClient.defaults
    /// The behaviour of the OAuth2 servers.
    package var oauthRule = OAuthRule()
    /// The behaviour of the SAML2 service provider and identity provider.
    package var samlRule = SAMLRule()
    /// The behaviour of the second factor.
    package var otpRule = OTPRule()
    /// The behaviour of the mobile server.
    package var mobileRule = MobileRule()
    /// The behaviour of the OData services.
    package var odataRule = ODataRule()
    /// The time after which an idle keep-alive connection is closed; nil: never.
    public var idleTimeout: Duration?
    /// Whether received requests are recorded. Without recording, a landscape is a faster benchmark peer.
    public var recordsRequests = true
    /// The number of most recent requests that are kept.
    public var recordingCapacity = 100_000
    /// The clock for the expiry of nonces, sessions and tokens.
    public var clock = LandscapeClock()

    /// Free ports, default users, and recording.
    public init() {}
}

extension LandscapeConfiguration {
    /// The state of a landscape, with the only list of its services. The table of contents has their order.
    func makeState() throws(LandscapeError) -> SharedState {
        let certificates = try LandscapeCertificates(extraHostNames: extraHostNames)
        var clients = oauthClients
        if !clients.contains(where: { $0.id == "signer" }) {
            clients.append(.signer(publicKeyPEM: certificates.assertionPublicKeyPEM))
        }
        return SharedState(
            clock: clock, certificates: certificates, users: users,
            recorder: Recorder(capacity: recordingCapacity, enabled: recordsRequests),
            addresses: OriginAddresses(basePort: basePort, extraHostNames: extraHostNames), idleTimeout: idleTimeout,
            services: [
                ContentsPage(), PageStyle(), ResourceEndpoints(), EchoEndpoint(), CertificateEndpoint(),
                BasicEndpoints(), DigestEndpoints(nonces: NonceStore(clock: clock, rule: nonceRule)),
                ChallengeEndpoint(), SignedEndpoint(),
                SessionEndpoints(sessions: SessionStore(clock: clock, lifetime: sessionLifetime)), CookieEndpoints(),
                RedirectEndpoints(), UploadEndpoints(), CompressionEndpoints(), FaultEndpoints(), RawOrigin(),
                OAuthServer(clock: clock, clients: clients, rule: oauthRule), BearerEndpoints(),
                SAMLServer(clock: clock, sessionLifetime: sessionLifetime, rule: samlRule),
                SiteServer(clock: clock, sessionLifetime: sessionLifetime), OTPServer(clock: clock, rule: otpRule),
                CSRFEndpoints(), MobileServer(clock: clock, rule: mobileRule),
                EnrolmentServer(), ODataServer(rule: odataRule), ProxyServer(), AdminEndpoints(),
            ])
    }
}
