import HttpC

/// Wraps a provider, and does not repeat a refused answer for another URL or a retry, because each attempt brings an
/// account closer to being locked. A person is asked again. In a relay, a corrected password is used soon, and the
/// refused one is tried again much later (``ChallengeOutcomes``).
struct OnceRefusedProvider<Base: UsernamePasswordProvider>: UsernamePasswordProvider {
    let base: Base
    let outcomes: ChallengeOutcomes
    /// Lets the provider fetch the password again.
    var forget: @Sendable () -> Void = {}

    var isInteractive: Bool { base.isInteractive }

    func serves(_ destination: CredentialDestination) -> Bool { base.serves(destination) }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard !base.isInteractive else { return try await base.credential(for: challenge) }
        let space = challenge.space
        let isRefused = challenge.previousFailureCount > 0
        if isRefused {
            outcomes.refusedLogin(at: space)
            forget()
        } else if outcomes.isLoginRefused(at: space) {
            guard outcomes.mayLookAgain(at: space) else { return refuse() }
            forget()
        }
        let provided = try await base.credential(for: challenge)
        guard case .credential(let login, _) = provided else { return provided }
        // The filter knows the login that this conversation has tried.
        return outcomes.mayGive(login, at: space) || isRefused ? provided : refuse()
    }

    private func refuse() -> ProvidedCredential {
        outcomes.refused("the server has refused user name and password before")
        return .none
    }
}
