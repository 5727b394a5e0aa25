import HttpC

/// Wraps a provider, and does not repeat its answer after a refusal, neither for the next URL nor for a retry. A person
/// is asked again.
struct OnceRefusedProvider<Base: UsernamePasswordProvider>: UsernamePasswordProvider {
    let base: Base
    let outcomes: ChallengeOutcomes

    var isInteractive: Bool { base.isInteractive }

    func serves(_ destination: CredentialDestination) -> Bool { base.serves(destination) }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard !base.isInteractive else { return try await base.credential(for: challenge) }
        if challenge.previousFailureCount > 0 {
            outcomes.refusedLogin(at: challenge.space)
        } else if outcomes.isLoginRefused(at: challenge.space) {
            outcomes.refused("the server has refused user name and password before")
            return .none
        }
        return try await base.credential(for: challenge)
    }
}
