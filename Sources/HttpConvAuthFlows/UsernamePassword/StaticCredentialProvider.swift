public import HttpConversation

/// Always the same user name and password.
public struct StaticCredentialProvider: UsernamePasswordProvider {
    private let credential: UsernamePassword
    private let persistence: CredentialPersistence

    /// A provider that gives this user name and password to every server that asks.
    public init(username: String, password: String, persistence: CredentialPersistence = .session) {
        credential = UsernamePassword(username: username, password: password)
        self.persistence = persistence
    }

    public func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        .credential(credential, persistence: persistence)
    }
}
