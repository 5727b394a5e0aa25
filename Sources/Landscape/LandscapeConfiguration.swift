/// How a landscape is started.
public struct LandscapeConfiguration: Sendable {
    /// The first of twelve consecutive fixed ports; nil (the default) lets the system choose free ones.
    public var basePort: Int?
    /// The people that may log in; ``LandscapeUser/defaults`` unless changed.
    public var users: [LandscapeUser] = LandscapeUser.defaults
    /// Host names beside 127.0.0.1, ::1 and localhost that the server certificate is valid for.
    public var extraHostNames: [String] = []
    /// How long a Digest nonce lives and how often it may be used.
    package var nonceRule = NonceRule()
    /// How long a cookie session lives without being used, by the landscape's clock.
    public var sessionLifetime: Duration = .seconds(1800)
    /// The clients of the OAuth2 authorization server; ``OAuthClient/defaults`` unless changed.
    public var oauthClients: [OAuthClient] = OAuthClient.defaults
    /// Lifetimes and habits of the OAuth2 servers.
    package var oauthRule = OAuthRule()
    /// Lifetimes and habits of the SAML2 service provider and identity provider.
    package var samlRule = SAMLRule()
    /// Habits of the second factor.
    package var otpRule = OTPRule()
    /// Habits of the mobile server.
    package var mobileRule = MobileRule()
    /// Habits of the OData services.
    package var odataRule = ODataRule()
    /// After how long an idle keep-alive connection is closed; nil means never.
    public var idleTimeout: Duration?
    /// Whether received requests are recorded; off, a landscape is a faster benchmark peer.
    public var recordsRequests = true
    /// How many of the most recent requests are kept.
    public var recordingCapacity = 100_000
    /// The clock that nonces, sessions and tokens expire by.
    public var clock = LandscapeClock()

    /// Free ports, default users, recording on.
    public init() {}
}
