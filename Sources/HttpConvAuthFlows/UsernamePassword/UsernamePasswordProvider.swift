public import HttpConversation

/// Knows user names and passwords, for Basic and Digest challenges.
public protocol UsernamePasswordProvider: Sendable {
    /// Answers a challenge. Look at `previousFailureCount`: the same wrong password again counts as no answer.
    ///
    /// - Throws: anything; all conversations that wait for the answer fail with it
    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential
}

/// What a provider says.
public enum ProvidedCredential: Sendable {
    /// This user name and password.
    case credential(UsernamePassword, persistence: CredentialPersistence)
    /// Nothing; the next provider is asked.
    case none
    /// The person said no: the conversation ends with `.cancelled`.
    case cancel
}

/// A user name and a password; prints the user name only.
public struct UsernamePassword: Sendable, Hashable {
    /// The user name.
    public let username: String
    /// The password; never printed.
    public let password: Redacted<String>

    /// A user name and a password.
    public init(username: String, password: String) {
        self.username = username
        self.password = Redacted(password)
    }
}
