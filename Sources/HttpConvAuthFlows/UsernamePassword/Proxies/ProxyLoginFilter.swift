package import HttpConversation

/// Answers proxies with the login that they were configured with (`ProxyServer.login`), by Basic and Digest. Nobody is
/// asked; one that is not right is left to the next filter.
package struct ProxyLoginFilter: ChallengeFilter {
    package let handles: Set<AuthenticationMethod> = [.basic, .digest]
    package var isForProxies: Bool { true }

    private let passwords = UsernamePasswordFilter(providers: [], flow: FlowIdentity(), isForProxies: true)

    /// For whichever proxy is used.
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

/// Whose the login of a proxy is: of a proxy that was configured with it.
private struct ProxyLoginProvider: UsernamePasswordProvider {
    let login: ProxyLogin

    func serves(_ destination: CredentialDestination) -> Bool { false }
    func serves(_ proxy: ProxyServer) -> Bool { proxy.login == login }
    var isInteractive: Bool { false }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential { .none }
}
