public import HttpConversation

/// Always the same user name and password, for the servers that it was made for.
public struct StaticCredentialProvider: UsernamePasswordProvider {
    private let credential: UsernamePassword
    private let origins: [Origin]
    private let persistence: CredentialPersistence

    /// A user name and password for the server that the application asks: the origin of its URL, and https on its host,
    /// but nothing that a redirect or a login leads to.
    public init(username: String, password: String, persistence: CredentialPersistence = .session) {
        self.init(username: username, password: password, origins: [], persistence: persistence)
    }

    /// A user name and password for some servers.
    ///
    /// - Parameter servers: whose they are, and those of https on the same hosts; of a URL its origin counts. Empty: as
    ///   without
    /// - Throws: ``ConversationError/Code/invalidURL``, ``ConversationError/Code/unsupportedScheme``
    public init(
        username: String, password: String, for servers: [any TargetURLConvertible],
        persistence: CredentialPersistence = .session
    ) throws(ConversationError) {
        self.init(
            username: username, password: password, origins: Array(try servers.origins()), persistence: persistence)
    }

    init(username: String, password: String, origins: [Origin], persistence: CredentialPersistence) {
        credential = UsernamePassword(username: username, password: password)
        self.origins = origins
        self.persistence = persistence
    }

    public func serves(_ destination: CredentialDestination) -> Bool {
        origins.isEmpty ? destination.isCallersOwn : origins.contains { $0.covers(destination.target.origin) }
    }

    /// Nobody is asked.
    public var isInteractive: Bool { false }

    public func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        .credential(credential, persistence: persistence)
    }
}
