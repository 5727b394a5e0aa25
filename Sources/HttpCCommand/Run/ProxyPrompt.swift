import HttpC

/// Asks for the password of a named proxy when that proxy wants it (security rule S31).
struct ProxyPrompt: UsernamePasswordProvider {
    /// The user's name for all of them.
    let name: String
    /// The proxies without a known password.
    let proxies: [ProxyServer]

    func serves(_ destination: CredentialDestination) -> Bool { false }
    func serves(_ proxy: ProxyServer) -> Bool { proxies.contains { $0.isSame(as: proxy) } }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard challenge.previousFailureCount == 0, let proxy = challenge.proxy else { return .none }
        let password = try await ProxyPlan.ask(name, proxy)
        return .credential(UsernamePassword(username: name, password: password.value), persistence: .session)
    }
}
