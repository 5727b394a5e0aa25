import HttpC

/// Answers challenges with -u, for the named origins and for https on the same hosts.
struct CommandLineProvider: UsernamePasswordProvider {
    let user: UserArgument
    let named: Set<Origin>
    /// The passwords that were sent before any challenge, by server.
    var ahead: [Origin: Redacted<String>] = [:]
    let trustsRedirects: Bool
    let outcomes: ChallengeOutcomes

    var isInteractive: Bool { user.password == nil && ahead.isEmpty }

    func serves(_ destination: CredentialDestination) -> Bool {
        let origin = destination.target.origin
        if named.contains(where: { $0.covers(origin) }) || trustsRedirects && user.password != nil { return true }
        outcomes.refused(
            "-u is for \(named.map(\.description).sorted().joined(separator: " and ")), the login was asked for by \(origin); --location-trusted answers that as well"
        )
        return false
    }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        let origin = challenge.space.origin
        if let password = user.password ?? ahead.first(where: { $0.key.covers(origin) })?.value {
            challenge.context.notify(.passwordGiven(source: "of -u"))
            return .credential(UsernamePassword(username: user.name, password: password.value), persistence: .session)
        }
        guard challenge.previousFailureCount == 0 else { return .none }
        return try await PasswordPrompt.ask(for: user.name, challenge, outcomes)
    }
}
