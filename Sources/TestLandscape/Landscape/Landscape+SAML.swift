/// Controls and counters of a landscape's SAML2 parties.
extension Landscape {
    private var saml: SAMLServer { shared.service() }

    /// The behaviour of the SAML2 parties. It may be changed at any time.
    package var samlRule: SAMLRule {
        get { saml.rule }
        set { saml.rule = newValue }
    }

    /// The counters of the service provider and the identity provider.
    public var samlCounters: SAMLCounters { saml.counters.current }

    /// The base URL (scheme, host and port) of the identity provider for an origin's service provider.
    public func identityProvider(for origin: LandscapeOrigin = .main) -> String {
        shared.identityProviderBase(for: origin)
    }

    /// The finish endpoint of an origin's service provider.
    ///
    /// - Parameters:
    ///   - origin: the service provider
    ///   - variant: the words of a path under `/saml/`; nil: the one at the root
    public func finishEndpoint(_ origin: LandscapeOrigin = .main, variant: String? = nil) -> String {
        urlString(origin, variant.map { "/saml/\($0)" } ?? "") + "/SAMLAuthLauncher"
    }

    /// The public key for checking assertions.
    public func identityProviderKeyPEM() throws -> String {
        try SAMLServer.signature().publicKeyPEM
    }

    /// Ends all sessions at the service provider. Logins at the identity provider stay.
    public func expireSAMLSessions() {
        saml.sessions.endAll()
    }

    /// Ends all logins at the identity provider. Sessions at the service provider stay.
    public func expireIdentityProviderSessions() {
        saml.browsers.endAll()
    }

    /// Injects a fault into responses of the identity provider.
    ///
    /// - Parameter times: the number of responses; nil: all. Several faults are met in the order in which they
    ///   were added.
    package func failAssertions(_ fault: SAMLAssertionFault, times: Int? = 1) {
        saml.faults.add(fault, times: times)
    }

    /// Holds all requests for pages of the identity provider until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=saml:login`.
    public func holdIdentityProvider() -> Gate {
        shared.gates.close(SAMLServer.loginGate)
    }

    /// Holds all responses and artifacts at the service provider until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=saml:acs`.
    public func holdAssertions() -> Gate {
        shared.gates.close(SAMLServer.consumerGate)
    }
}
