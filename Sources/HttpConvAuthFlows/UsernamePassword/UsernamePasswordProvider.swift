public import HttpConversation

/// Provides user names and passwords, for Basic and Digest challenges.
///
/// It may ask a person, or read a file or a vault. Use ``StaticCredentialProvider`` if the password is known in
/// advance. All conversations of a session that are challenged at the same time share one question.
///
/// By default a provider is asked about the caller's own server only. A provider with passwords for others, such as
/// those that a redirect or a login page leads to, accepts them in `serves(_:)`:
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
/// For challenges of proxies (status 407), only providers that accept the proxy in ``serves(_:)-(ProxyServer)`` are
/// asked.
public protocol UsernamePasswordProvider: Sendable {
    /// Answers a challenge. Check `previousFailureCount`: the same wrong password again counts as no answer. A password
    /// beyond ASCII that Basic tried in two encodings counts twice.
    ///
    /// - Throws: any error; all conversations that wait for the answer fail with `.authenticationFailed`, with it as
    ///   the underlying error
    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential

    /// Whether its passwords are for this destination. Called before `credential(for:)`, and before each exchange that
    /// would carry its answer, so it must be fast. Default: the caller's own server
    /// (`CredentialDestination.isCallersOwn`).
    func serves(_ destination: CredentialDestination) -> Bool

    /// Whether its passwords are for this proxy. Called before `credential(for:)` for the challenge of a proxy
    /// (`AuthenticationChallenge.proxy`), and before each exchange through it that would carry its answer. Passwords
    /// for servers are separate from passwords for proxies (security rules S5 and S7). Default: false.
    func serves(_ proxy: ProxyServer) -> Bool

    /// Whether it may ask a person: then its questions wait for the screen. Default: true.
    var isInteractive: Bool { get }
}

extension UsernamePasswordProvider {
    public func serves(_ destination: CredentialDestination) -> Bool { destination.isCallersOwn }
    public func serves(_ proxy: ProxyServer) -> Bool { false }
    public var isInteractive: Bool { true }

    /// Whether its passwords are for a destination: the proxy, or the server.
    func servesServerOrProxy(_ destination: CredentialDestination) -> Bool {
        if let proxy = destination.proxy { serves(proxy) } else { serves(destination) }
    }
}
