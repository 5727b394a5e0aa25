public import HttpConversation

/// Knows user names and passwords, for Basic and Digest challenges.
///
/// Ask a person, read a file or a vault; use ``StaticCredentialProvider`` where the password is known beforehand. One
/// question is asked for all conversations of a session that are challenged at the same time.
///
/// A provider is asked for the caller's own server only. One that knows passwords for others, such as those that a
/// redirect or a login page leads to, says so in `serves(_:)`:
///
/// ```swift
/// struct Vault: UsernamePasswordProvider {
///     func serves(_ destination: CredentialDestination) -> Bool {
///         destination.target.origin == intranet || destination.isCallersOwn
///     }
///     func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
///         guard let password = try await read(challenge.space) else { return .none }
///         return .credential(UsernamePassword(username: "alice", password: password), persistence: .session)
///     }
/// }
/// ```
///
/// Proxies that ask (status 407) are another matter: only who says so in ``serves(_:)-(ProxyServer)`` is asked about them.
public protocol UsernamePasswordProvider: Sendable {
    /// Answers a challenge. Look at `previousFailureCount`: the same wrong password again counts as no answer. A
    /// password beyond ASCII that Basic tried in two encodings counts twice.
    ///
    /// - Throws: anything; all conversations that wait for the answer fail with `.authenticationFailed`, which carries
    ///   the error
    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential

    /// Whether its passwords are for this destination: asked before `credential(for:)`, and before each exchange that
    /// would carry an answer of its, so it answers quickly. Default: the caller's own server
    /// (`CredentialDestination.isCallersOwn`).
    func serves(_ destination: CredentialDestination) -> Bool

    /// Whether its passwords are for this proxy: asked before `credential(for:)` for the challenge of a proxy
    /// (`AuthenticationChallenge.proxy`), and before each exchange through it that would carry an answer of its. A
    /// password for a server is none for a proxy, nor the other way round (security rules S5 and S7). Default: false.
    func serves(_ proxy: ProxyServer) -> Bool

    /// Whether it may ask a person: then its questions take turns with everything else that wants the screen. Default:
    /// true.
    var isInteractive: Bool { get }
}

extension UsernamePasswordProvider {
    public func serves(_ destination: CredentialDestination) -> Bool { destination.isCallersOwn }
    public func serves(_ proxy: ProxyServer) -> Bool { false }
    public var isInteractive: Bool { true }

    /// Whether its passwords may go to whoever gets them: the proxy, or the server.
    func isFor(_ destination: CredentialDestination) -> Bool {
        if let proxy = destination.proxy { serves(proxy) } else { serves(destination) }
    }
}
