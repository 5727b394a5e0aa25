/// What tests change in, and ask of, the SAML2 parties of a landscape.
extension Landscape {
    /// Lifetimes and habits; may be changed at any time.
    package var samlRule: SAMLRule {
        get { world.saml.rule }
        set { world.saml.rule = newValue }
    }

    /// What the service provider and the identity provider have counted.
    package var samlCounters: SAMLCounters { world.saml.counters.current }

    /// Scheme, host and port of the identity provider that the service provider of an origin sends browsers to.
    public func identityProvider(for origin: LandscapeOrigin = .main) -> String {
        world.identityProviderBase(for: origin)
    }

    /// The finish endpoint of an origin's service provider.
    ///
    /// - Parameters:
    ///   - origin: the service provider
    ///   - variant: the words of a path under `/saml/`; nil means the one at the root
    public func finishEndpoint(_ origin: LandscapeOrigin = .main, variant: String? = nil) -> String {
        urlString(origin, variant.map { "/saml/\($0)" } ?? "") + "/SAMLAuthLauncher"
    }

    /// The public key that assertions are signed with.
    public func identityProviderKeyPEM() throws -> String {
        try SAMLServer.signature().publicKeyPEM
    }

    /// Ends all sessions at the service provider; the identity provider still knows who is there.
    public func expireSAMLSessions() {
        world.saml.sessions.endAll()
    }

    /// Logs everybody out at the identity provider; sessions at the service provider stay.
    public func expireIdentityProviderSessions() {
        world.saml.browsers.endAll()
    }

    /// Lets responses of the identity provider go wrong.
    ///
    /// - Parameter times: how many; nil means all. Faults wait for each other in the order they came.
    package func failAssertions(_ fault: SAMLAssertionFault, times: Int? = 1) {
        world.saml.faults.add(fault, times: times)
    }

    /// Holds all requests for pages of the identity provider until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=saml:login`.
    public func holdIdentityProvider() -> Gate {
        world.gates.close(SAMLServer.loginGate)
    }

    /// Holds all responses and artifacts at the service provider until the gate is released.
    ///
    /// The admin API does it with `/admin/hold?path=saml:acs`.
    public func holdAssertions() -> Gate {
        world.gates.close(SAMLServer.consumerGate)
    }
}
