package import HttpConversation

/// Answers proxies with the login in their configuration (`ProxyServer.login`), by Basic and Digest. No person is
/// asked. If the login is refused, the next filter answers.
package struct ProxyLoginFilter: ChallengeFilter {
    package let handles: Set<AuthenticationMethod> = [.basic, .digest]
    package var isForProxies: Bool { true }

    private let passwords = UsernamePasswordFilter(providers: [], flow: FlowIdentity(), isForProxies: true)

    /// Creates a filter for all proxies.
    package init() {}

    package func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        guard let login = challenge.proxy?.login else { return .notHandled }
        if let other = passwords.inOtherEncoding(challenge) { return .use(other, other.persistence) }
        let credential = try passwords.credential(
            UsernamePassword(username: login.username.value, password: login.password.value), .session,
            of: ProxyLoginProvider(login: login), for: challenge, in: context)
        return credential.map { .use($0, .session) } ?? .notHandled
    }
}

/// Provides a proxy's configured login, for that proxy only.
private struct ProxyLoginProvider: UsernamePasswordProvider {
    let login: ProxyLogin

    func serves(_ destination: CredentialDestination) -> Bool { false }
    func serves(_ proxy: ProxyServer) -> Bool { proxy.login == login }
    var isInteractive: Bool { false }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential { .none }
}
