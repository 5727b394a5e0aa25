import Logging

/// A server's question for a client certificate, as one conversation puts it to its filters. It is asked while the
/// handshake waits, in a task of the flight's.
struct IdentityQuestion: Sendable {
    let context: ConversationContext
    let target: TargetURL
    /// The session's stamp when the exchange was sent.
    let sentUnder: UInt64
    /// What the server refused in this conversation.
    let refused: [ClientIdentity]
    /// Why it did.
    let refusal: ConversationError?

    private var challenge: AuthenticationChallenge {
        AuthenticationChallenge(
            space: .clientCertificate(of: target.origin),
            offered: OfferedChallenge(
                scheme: AuthenticationMethod.clientCertificate.name, parameters: [], token68: nil),
            target: target, response: nil, context: context, previousFailureCount: refused.count,
            sentUnder: sentUnder)
    }

    /// The filters in order; the first that knows an identity, or that there is none, wins.
    ///
    /// - Throws: where it was refused before and nobody knows another one: the refusal
    func ask() async throws -> ClientIdentity? {
        let challenge = challenge
        if let delegates = context.delegates { await delegates.challenged(by: challenge) }
        let limit = context.configuration.clientCertificateTimeout
        do {
            return try await ConversationContext.limited(limit, context.configuration.clock) {
                try await ask(challenge)
            }
        } catch StepFailure.timedOut {
            throw ConversationError(
                .timedOut,
                "\(target.origin) asked for a client certificate, and nobody answered within \(limit) (clientCertificateTimeout).",
                challenge: challenge)
        } catch {
            if Task.isCancelled { throw CancellationError() }
            throw ConversationError.wrapping(
                error, as: .clientCertificateUnusable,
                "\(target.origin) asked for a client certificate, and its provider failed.")
        }
    }

    private func ask(_ challenge: AuthenticationChallenge) async throws -> ClientIdentity? {
        for entry in context.snapshot.certificateFilters {
            var answer = try await entry.element.answer(challenge, in: context)
            while case .after(let step) = answer {
                answer = try await context.perform(step, sentUnder: sentUnder).outcome
            }
            switch answer {
            case .notHandled, .use, .retry, .after, .trust: continue
            case .present(let identity?) where refused.contains(identity): continue
            case .present(let identity): return identity
            case .cancel:
                throw ConversationError(
                    .cancelled, "The login with a client certificate at \(target.origin) was cancelled.")
            }
        }
        if let refusal { throw refusal }
        return nil
    }
}
