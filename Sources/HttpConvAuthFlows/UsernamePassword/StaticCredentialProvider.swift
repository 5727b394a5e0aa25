public import HttpConversation

/// Always the same user name and password, for the servers that it was made for.
public struct StaticCredentialProvider: UsernamePasswordProvider {
    private let credential: UsernamePassword
    private let origins: [Origin]
    private let persistence: CredentialPersistence

    /// A provider of one user name and password.
    ///
    /// - Parameter origins: the servers that they are for, and https on the same hosts; empty: the origin of the URL
    ///   that the application asks for, and https on its host, but nothing that a redirect or a login leads to
    public init(
        username: String, password: String, for origins: [Origin] = [], persistence: CredentialPersistence = .session
    ) {
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
