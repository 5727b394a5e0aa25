/// A server's certificate, as one conversation shows it to its filters during the handshake.
struct TrustQuestion: Sendable {
    /// Thrown if a filter needs a step first, such as asking a person: that must not happen during a handshake.
    struct Pending: Error {
        let trust: ServerTrust
        let step: ConversationStep<ChallengeAnswer>
    }

    let context: ConversationContext
    let target: TargetURL
    let sentUnder: UInt64

    func challenge(_ trust: ServerTrust) -> AuthenticationChallenge {
        AuthenticationChallenge(
            space: ProtectionSpace(origin: target.origin, method: .serverTrust, realm: ""),
            offered: OfferedChallenge(scheme: AuthenticationMethod.serverTrust.name, parameters: [], token68: nil),
            target: target, response: nil, context: context, sentUnder: sentUnder, serverTrust: trust)
    }

    /// Asks the filters in order; the first that trusts the server decides. If none does, the verifier's judgement
    /// stands.
    func ask(_ trust: ServerTrust, _ policy: ServerTrustPolicy) async throws {
        let challenge = challenge(trust)
        await context.delegates?.challenged(by: challenge)
        for entry in context.snapshot.trustFilters {
            switch try await entry.element.answer(challenge, in: context) {
            case .notHandled, .use, .retry, .present: continue
            case .trust: return
            case .cancel:
                throw ConversationError(
                    .cancelled, "A filter cancelled the connection to \(target.origin) because of its certificate.")
            case .after(let step):
                if policy.terms(for: target.origin).accepts(trust) { return }
                throw ConversationError(
                    .certificateNotTrusted, trust.failure(at: target.origin).message,
                    underlyingError: Pending(trust: trust, step: step))
            }
        }
        guard trust.problems.isEmpty else { throw trust.failure(at: target.origin) }
    }
}
