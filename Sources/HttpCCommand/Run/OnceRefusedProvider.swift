import HttpC

/// Another provider, whose answer is not given again where it was refused: neither to the next URL nor to another try. What
/// a person types is asked for anew.
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
