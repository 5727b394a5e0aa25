import HttpC

/// Restricts a provider to Digest challenges, for --digest.
struct DigestOnlyProvider<Base: UsernamePasswordProvider>: UsernamePasswordProvider {
    let base: Base
    let outcomes: ChallengeOutcomes

    var isInteractive: Bool { base.isInteractive }

    func serves(_ destination: CredentialDestination) -> Bool { base.serves(destination) }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard challenge.method == .digest else {
            outcomes.refused("--digest answers Digest only, and \(challenge.space) is not")
            return .none
        }
        return try await base.credential(for: challenge)
    }
}
