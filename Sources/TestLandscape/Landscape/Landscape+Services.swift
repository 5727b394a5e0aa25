/// Controls and counters of a landscape's second factor.
extension Landscape {
    private var otp: OTPServer { shared.service() }

    /// The behaviour of the second factor. It may be changed at any time.
    package var otpRule: OTPRule {
        get { otp.rule }
        set { otp.rule = newValue }
    }

    /// The counters of the second factor.
    public var otpCounters: OTPCounters { otp.counters.current }

    /// The current code of a user's authenticator, by the landscape's clock; nil without user or secret.
    public func passcode(of user: String = "alice") -> String? {
        shared.users.passcode(of: user, clock: clock)
    }

    /// Ends all sessions of the second factor. The first factors stay.
    public func expireOTPSessions() {
        otp.sessions.endAll()
    }
}

/// Controls and counters of a landscape's CSRF services.
extension Landscape {
    private var csrf: CSRFEndpoints { shared.service() }

    /// The counters of the CSRF services.
    public var csrfCounters: CSRFCounters { csrf.counters.current }

    /// Makes all CSRF tokens invalid. Their sessions stay.
    public func expireCSRFTokens() { csrf.tokens.expireTokens() }

    /// Ends all sessions of the CSRF services, and their tokens with them.
    public func endCSRFSessions() { csrf.tokens.endSessions() }
}

/// Controls and counters of a landscape's OData services.
extension Landscape {
    private var odata: ODataServer { shared.service() }

    /// The behaviour of the OData services. It may be changed at any time.
    package var odataRule: ODataRule {
        get { odata.rule }
        set { odata.rule = newValue }
    }

    /// The counters of the OData services.
    public var odataCounters: ODataCounters { odata.counters.current }

    /// Makes all CSRF tokens of the OData services invalid. Their sessions stay.
    public func expireODataTokens() { odata.tokens.expireTokens() }

    /// Restores the initial data of the OData services.
    public func resetOData() { odata.reset() }
}

/// Controls and counters of a landscape's enrolment service.
extension Landscape {
    private var enrolment: EnrolmentServer { shared.service() }

    /// Makes a password for one certificate of that name at `/enrol/challenge`. It works once.
    public func makeEnrolmentChallenge(for name: String) -> String { enrolment.makeChallenge(for: name) }

    /// The fault of certificates; nil: none.
    package var enrolmentFault: EnrolmentFault? {
        get { enrolment.fault }
        set { enrolment.fault = newValue }
    }

    /// The lifetime of certificates in seconds.
    package var enrolmentLifetime: Int {
        get { enrolment.lifetime }
        set { enrolment.lifetime = newValue }
    }

    /// The counters of the enrolment service.
    public var enrolmentCounters: EnrolmentCounters { enrolment.counters.current }

    /// Holds all requests for certificates until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=enrolment`.
    public func holdEnrolment() -> Gate { shared.gates.close(EnrolmentServer.gate) }
}

/// Controls and counters of a landscape's sites with login pages.
extension Landscape {
    private var site: SiteServer { shared.service() }

    /// The counters of the sites with login pages.
    public var siteCounters: SiteCounters { site.counters.current }

    /// Ends all sessions at the sites. Logins at their identity provider stay.
    public func expireSiteSessions() { site.sessions.endAll() }

    /// Ends all logins at the sites' identity provider.
    public func expireSiteIdentityProviderSessions() { site.browsers.endAll() }

    /// Holds all requests for login pages of the sites until the gate is released.
    public func holdSiteLogins() -> Gate { shared.gates.close(SiteServer.gate) }
}
