public import HttpConversation

/// A fixed user name and password, for given servers or proxies.
public struct StaticCredentialProvider: UsernamePasswordProvider {
    private let credential: UsernamePassword
    private let origins: [Origin]
    /// The proxies that get the password; nil: it is for servers.
    private let proxies: Set<Origin>?
    private let persistence: CredentialPersistence

    /// A user name and password for the server that the application requests: the origin of its URL, also over https on
    /// its host, but no server that a redirect or a login leads to.
    public init(username: String, password: String, persistence: CredentialPersistence = .session) {
        self.init(username: username, password: password, origins: [], persistence: persistence)
    }

    /// A user name and password for some servers.
    ///
    /// - Parameters:
    ///   - username: the user's name
    ///   - password: the user's password
    ///   - servers: the servers that may get them, also over https on the same hosts; of a URL only the origin counts.
    ///     Empty: the server that the application requests
    ///   - persistence: how long they are kept once they were accepted
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(
        username: String, password: String, for servers: [any TargetURLConvertible],
        persistence: CredentialPersistence = .session
    ) throws(ConversationError) {
        self.init(
            username: username, password: password, origins: Array(try servers.origins()), persistence: persistence)
    }

    /// A user name and password for some proxies, and for no server.
    ///
    /// - Parameters:
    ///   - username: the user's name
    ///   - password: the user's password
    ///   - proxies: such as `http://proxy.example.com:3128`; https if the proxy is reached by TLS. SOCKS uses only the
    ///     login of a `ProxyServer`
    ///   - persistence: how long they are kept once they were accepted
    /// - Throws: ``/HttpConversation/ConversationError/Code/invalidURL``,
    ///   ``/HttpConversation/ConversationError/Code/unsupportedScheme``
    public init(
        username: String, password: String, forProxies proxies: [any TargetURLConvertible],
        persistence: CredentialPersistence = .session
    ) throws(ConversationError) {
        self.init(
            username: username, password: password, origins: [], proxies: try proxies.origins(),
            persistence: persistence)
    }

    init(
        username: String, password: String, origins: [Origin], proxies: Set<Origin>? = nil,
        persistence: CredentialPersistence
    ) {
        credential = UsernamePassword(username: username, password: password)
        self.origins = origins
        self.proxies = proxies
        self.persistence = persistence
    }

    public func serves(_ destination: CredentialDestination) -> Bool {
        proxies == nil && destination.isServed(by: origins)
    }

    public func serves(_ proxy: ProxyServer) -> Bool { proxies?.contains(proxy.origin) ?? false }

    /// Nobody is asked.
    public var isInteractive: Bool { false }

    public func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        .credential(credential, persistence: persistence)
    }
}
