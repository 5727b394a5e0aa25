import HttpC

/// Asks for a proxy's password when that proxy wants it, by its name (security rule S31).
struct ProxyPrompt: UsernamePasswordProvider {
    /// The user of all of them.
    let name: String
    /// The proxies whose password is not known.
    let proxies: [ProxyServer]

    func serves(_ destination: CredentialDestination) -> Bool { false }
    func serves(_ proxy: ProxyServer) -> Bool { proxies.contains { $0.isSame(as: proxy) } }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard challenge.previousFailureCount == 0, let proxy = challenge.proxy else { return .none }
        let password = try await ProxyPlan.ask(name, proxy)
        return .credential(UsernamePassword(username: name, password: password.value), persistence: .session)
    }
}
