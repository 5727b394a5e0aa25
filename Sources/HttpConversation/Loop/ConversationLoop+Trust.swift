extension ConversationLoop {
    /// Transmits an exchange whose server filters may judge. If a filter wants to ask a person, it does so after the
    /// handshake, and the exchange is repeated.
    mutating func transmitTrusting(
        _ exchange: Exchange, _ identity: ClientIdentitySource?
    ) async throws -> TransportResponse {
        guard let decisions = context.snapshot.trust else { return try await transmit(exchange, identity) }
        let question = TrustQuestion(context: context, target: exchange.target, sentUnder: exchange.epoch)
        let ticket = decisions.enter(exchange.target.origin) { [policy = decisions.policy] in
            try await question.ask($0, policy)
        }
        defer { decisions.leave(ticket) }
        do {
            return try await transmit(exchange, identity)
        } catch {
            guard let pending = Self.failure(error).underlyingError as? TrustQuestion.Pending else { throw error }
            let refusal = pending.trust.failure(at: exchange.target.origin)
            guard try await isTrusted(pending, question, refusal) else { throw refusal }
            decisions.policy.accept(pending.trust, of: exchange.target.origin)
            return try await transmit(exchange, identity)
        }
    }

    private mutating func isTrusted(
        _ pending: TrustQuestion.Pending, _ question: TrustQuestion, _ refusal: ConversationError
    ) async throws(ConversationError) -> Bool {
        do {
            switch try await perform(pending.step, for: question.challenge(pending.trust)) {
            case .trust: return true
            case .cancel: throw refusal
            default: return false
            }
        } catch let error as ConversationError {
            throw error
        } catch {
            throw Self.stepFailed(error, question.target)
        }
    }
}
