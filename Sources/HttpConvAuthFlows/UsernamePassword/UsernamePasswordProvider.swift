public import HttpConversation

/// Knows user names and passwords, for Basic and Digest challenges.
///
/// Ask a person, read a file or a vault; use ``StaticCredentialProvider`` where the password is known beforehand. One
/// question is asked for all conversations of a session that are challenged at the same time.
///
/// ```swift
/// struct Vault: UsernamePasswordProvider {
///     func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
///         guard challenge.space.origin.host == "intranet.example.com" else { return .none }
///         return .credential(try await read(), persistence: .session)
///     }
/// }
/// ```
public protocol UsernamePasswordProvider: Sendable {
    /// Answers a challenge. Look at `previousFailureCount`: the same wrong password again counts as no answer. A
    /// password beyond ASCII that Basic tried in two encodings counts twice.
    ///
    /// - Throws: anything; all conversations that wait for the answer fail with `.authenticationFailed`, which carries
    ///   the error
    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential
}
