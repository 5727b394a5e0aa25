/// Answers the challenges of 401 responses, and servers that ask for a certificate in the TLS handshake; or those of
/// proxies, with status 407.
///
/// Filters are asked in order of addition, for the strongest challenge first; the first answer other than `.notHandled`
/// wins. No connection is held while a filter works.
public protocol ChallengeFilter: ConversationFilter {
    /// The schemes this filter may answer; it is asked for no other.
    var handles: Set<AuthenticationMethod> { get }
    /// Whether it answers proxies, and no servers: then it is asked about 407 responses of proxies that the exchange used,
    /// also in child conversations, and about nothing else (security rules S5 and S7). Default: false.
    var isForProxies: Bool { get }
    /// Answers one challenge.
    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer

    /// Whether it may have a client certificate for this destination, for a filter that ``handles``
    /// ``AuthenticationMethod/clientCertificate``: asked before each exchange, so it answers quickly and asks nobody. A
    /// login in a browser fetches the pages of such servers through the conversation, for the browser has no certificate.
    /// Default: the caller's own server (``CredentialDestination/isCallersOwn``).
    func presentsIdentity(to destination: CredentialDestination) -> Bool

    /// What is known beforehand about the certificate of a server, for a filter that ``handles``
    /// ``AuthenticationMethod/serverTrust``: authorities of one's own for this server, keys that a person has accepted, pins.
    /// Asked before each exchange with the server, so it answers quickly and asks nobody. Default: nothing.
    func serverTrustTerms(for origin: Origin) -> ServerTrustTerms

    /// The servers that the filter may refuse in the TLS handshake, for strategies that show logins by another program,
    /// which does not ask it. Default: all where it ``handles`` ``AuthenticationMethod/serverTrust``, else none. A filter
    /// that only accepts more than the transport returns an empty policy.
    var connectionPolicy: ConnectionPolicy { get }
}

extension ChallengeFilter {
    public func presentsIdentity(to destination: CredentialDestination) -> Bool { destination.isCallersOwn }
    public func serverTrustTerms(for origin: Origin) -> ServerTrustTerms { ServerTrustTerms() }
}

extension ChallengeFilter {
    public var connectionPolicy: ConnectionPolicy {
        handles.contains(.serverTrust) ? ConnectionPolicy([.pinnedKeys]) : ConnectionPolicy()
    }

    public var isForProxies: Bool { false }
}
