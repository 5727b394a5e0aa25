import Logging

/// A server's question for a client certificate, as one conversation passes it to its filters. It runs while the
/// handshake waits, in the flight's task.
struct IdentityQuestion: Sendable {
    let context: ConversationContext
    let target: TargetURL
    /// The session's epoch when the exchange was sent.
    let sentUnder: UInt64
    /// The certificates that the server refused in this conversation.
    let refused: [ClientIdentity]
    /// The error of the last refusal.
    let refusal: ConversationError?

    private var challenge: AuthenticationChallenge {
        AuthenticationChallenge(
            space: .clientCertificate(of: target.origin),
            offered: OfferedChallenge(
                scheme: AuthenticationMethod.clientCertificate.name, parameters: [], token68: nil),
            target: target, response: nil, context: context, previousFailureCount: refused.count,
            sentUnder: sentUnder)
    }

    /// Asks the filters in order; the first that provides an identity, or says that there is none, decides.
    ///
    /// - Throws: the refusal, if a certificate was refused before and there is no other one
    func ask() async throws -> ClientIdentity? {
        let challenge = challenge
        if let delegates = context.delegates { await delegates.challenged(by: challenge) }
        let limit = context.configuration.clientCertificateTimeout
        do {
            return try await ConversationContext.limited(limit, context.configuration.clock) {
                try await ask(challenge)
            }
        } catch StepError.timedOut {
            throw ConversationError(
                .timedOut,
                "\(target.origin) asked for a client certificate, and no filter answered within \(limit) (clientCertificateTimeout).",
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
