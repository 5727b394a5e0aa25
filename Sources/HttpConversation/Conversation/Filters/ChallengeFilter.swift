/// Answers the challenges of 401 responses, and requests for a certificate in the TLS handshake; or the challenges of
/// proxies, with status 407.
///
/// Filters are asked in order of addition, for the strongest challenge first; the first answer other than `.notHandled`
/// counts. No connection is held while a filter works.
public protocol ChallengeFilter: ConversationFilter {
    /// The schemes that this filter may answer; it is asked about these only.
    var handles: Set<AuthenticationMethod> { get }
    /// Whether it answers proxies instead of servers: then it is asked only about 407 responses of proxies that the
    /// exchange used, also in child conversations (security rules S5 and S7). Default: false.
    var isForProxies: Bool { get }
    /// Answers one challenge.
    func answer(_ challenge: AuthenticationChallenge, in context: ConversationContext) async throws -> ChallengeAnswer

    /// Whether it may have a client certificate for this destination. For a filter that ``handles``
    /// ``AuthenticationMethod/clientCertificate``. Called before each exchange, so it must be fast and ask nobody. A
    /// login in a browser fetches the pages of such servers through the conversation, because the browser lacks the
    /// certificate. Default: the caller's own server (``CredentialDestination/isCallersOwn``).
    func presentsIdentity(to destination: CredentialDestination) -> Bool

    /// Whether a server may know the person by the connection after this filter's answer, as with Negotiate (RFC 4559
    /// §6). The exchanges of a session with such a server have connections of their own. Called before each exchange,
    /// so it must be fast and ask nobody. The filter also needs ``TransportCapabilities/connectionOwners``. Default:
    /// false.
    func bindsConnections(to destination: CredentialDestination) -> Bool

    /// The terms for a server's certificate: additional authorities for this server, keys that a person has accepted,
    /// pins. For a filter that ``handles`` ``AuthenticationMethod/serverTrust``. Called before each exchange with the
    /// server, so it must be fast and ask nobody. Default: none.
    func serverTrustTerms(for origin: Origin) -> ServerTrustTerms

    /// The servers that the filter may refuse in the TLS handshake. Strategies that show logins in another program read
    /// it, because that program does not ask the filter. Default: all servers if it ``handles``
    /// ``AuthenticationMethod/serverTrust``, else none. A filter that only accepts more than the transport returns an
    /// empty policy.
    var connectionPolicy: ConnectionPolicy { get }
}

extension ChallengeFilter {
    public func presentsIdentity(to destination: CredentialDestination) -> Bool { destination.isCallersOwn }
    public func bindsConnections(to destination: CredentialDestination) -> Bool { false }
    public func serverTrustTerms(for origin: Origin) -> ServerTrustTerms { ServerTrustTerms() }
    public var isForProxies: Bool { false }

    public var connectionPolicy: ConnectionPolicy {
        handles.contains(.serverTrust) ? ConnectionPolicy([.pinnedKeys]) : ConnectionPolicy()
    }
}
