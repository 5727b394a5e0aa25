package import HttpConversation

/// Answers proxies with the login in their configuration (`ProxyServer.login`), by Basic and Digest. No person is
/// asked. If the login is refused, the next filter answers, and later requests of the session do not send it for a
/// while.
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
        let person = UsernamePassword(username: login.username.value, password: login.password.value)
        let attempts = challenge.session.flowState { ProxyAttempts() }.attempts
        let place = challenge.space.origin
        guard
            let credential = try passwords.credential(
                person, .session, of: ProxyLoginProvider(login: login), for: challenge, in: context)
        else { return .notHandled }
        if challenge.refused.contains(where: { $0.hasSameSecret(as: credential) }) {
            // A credential that this exchange carried ahead was accepted before: the next conversation tries it once
            // more.
            if context[TriedProxyLogin.self] == true || challenge.sent == nil { attempts.refuse(person, at: place) }
            return .notHandled
        }
        guard !attempts.isRefused(person, at: place) else { return .notHandled }
        context[TriedProxyLogin.self] = true
        return .use(credential, .session)
    }
}

/// The context key that says whether the conversation has answered a proxy with its configured login.
private enum TriedProxyLogin: ConversationContextKey { typealias Value = Bool }

/// The logins at proxies in one session. The engine lets one request at a time try a login there.
private final class ProxyAttempts: Sendable {
    let attempts = PasswordAttempts<Origin>()
}

/// Provides a proxy's configured login, for that proxy only.
private struct ProxyLoginProvider: UsernamePasswordProvider {
    let login: ProxyLogin

    func serves(_ destination: CredentialDestination) -> Bool { false }
    func serves(_ proxy: ProxyServer) -> Bool { proxy.login == login }
    var isInteractive: Bool { false }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential { .none }
}
