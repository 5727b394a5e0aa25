import HTTPTypes
import HttpConvFormats

extension ConversationLoop {
    private static let digestOffered = "this origin has offered Digest: no password goes there by Basic"
    private static let notMeantForIt = "the credential is not for this server"

    /// Answers challenges from the strongest down: with a known credential, else by the filters in order.
    nonisolated(nonsending) mutating func answerChallenges(
        _ answered: AnsweredExchange
    ) async throws -> ConversationStateMachine.Event {
        await finishExchange(answered)
        let further = furtherMessage(answered)
        for (offered, space) in zip(answered.offered, shownSpaces(of: answered.offered, answered)) {
            context.log?.emit(
                .challengeReceived(.init(space: space, verdict: verdict(offered, space, answered))))
            if offered.method == .basic, !context.sendsBasic(to: space) {
                emitAnswer(space, .refused, reason: Self.digestOffered)
                continue
            }
            if let reason = try await answer(offered, of: space, answered, further) {
                return .challengesDecided(.repeatExchange(reason: reason))
            }
            emitAnswer(space, .notHandled)
        }
        try refuseUnansweredTunnel(answered)
        return .challengesDecided(.unanswered)
    }

    /// The server's verdict on the exchange's login; nil if it carried none.
    func verdict(
        _ offered: OfferedChallenge, _ space: ProtectionSpace, _ answered: AnsweredExchange
    ) -> ConversationEvent.Challenge.Verdict? {
        // The caller may have attached it, or a request filter.
        let field = answered.exchange.request.headerFields[space.isProxy ? .proxyAuthorization : .authorization]
        let scheme = field.map { AuthenticationMethod(String($0.prefix(upToASCII: " "))) }
        guard answered.sent(in: space) != nil || scheme == offered.method else { return nil }
        if let sent = answered.sent(in: space), isContinued(sent, by: offered) { return nil }
        return offered.isStale ? .stale : .refused
    }

    /// The reason for repeating the exchange; nil if this challenge has no answer.
    ///
    /// - Parameter further: the challenge that is a further message of the login
    private mutating func answer(
        _ offered: OfferedChallenge, of space: ProtectionSpace, _ answered: AnsweredExchange,
        _ further: OfferedChallenge?
    ) async throws -> String? {
        let filters = filters(for: offered, answered)
        guard !filters.isEmpty else { return nil }
        let first = challenge(offered, of: space, answered)
        if first.isStale, let sent = answered.sent(in: space) { return renew(first, sent) }
        if let sent = answered.sent(in: space), let further {
            // The server may offer a new login beside the further message.
            return further == offered ? try await resume(first, sent, filters) : nil
        }
        while true {
            if Task.isCancelled { throw ConversationError.cancelled }
            let challenge = challenge(offered, of: space, answered)
            let store = context.credentials(for: space)
            switch store.advice(
                for: challenge, refused: challenges.refused(in: space), awaited: challenges.awaitedProber)
            {
            case .use(let known, let persistence):
                guard let credential = known.answering(challenge) else {
                    store.release(space, by: context.id)
                    return nil
                }
                useCredential(credential, persistence, for: challenge, by: nil)
                return "credential known"
            case .wait:
                await waitForVerdict(on: space)
            case .refusedMeanwhile(let credential):
                challenges.refuse(credential, in: space)
            case .ask:
                let answer = try await askInOrder(filters, challenge)
                store.told(challenge.refused, in: space)
                switch answer {
                case .unanswered: return nil
                case .answered(let reason): return reason
                case .waitForVerdict: await waitForVerdict(on: space)
                }
            }
        }
    }

    /// Waits for the verdict on a credential that another conversation tries.
    mutating func waitForVerdict(on space: ProtectionSpace) async {
        let store = context.credentials(for: space)
        challenges.awaitedProber = await store.waitForVerdict(on: space, clock: configuration.clock)
    }

    /// Answers a further message of a login. The server may remember the login's beginning by the connection only, so
    /// the login begins again on a connection that no other conversation uses.
    private mutating func resume(
        _ challenge: AuthenticationChallenge, _ sent: SentCredential,
        _ filters: [FilterList<any ChallengeFilter>.Entry]
    ) async throws -> String? {
        guard challenges.continued(in: challenge.space) <= Self.maximumMessages else {
            refuse(sent)
            return nil
        }
        for entry in filters {
            // Nobody else waits for the verdict on this message: the credential is being tried already.
            guard case .use(let next, let persistence) = try await ask(entry.element, entry.id, challenge),
                next.isAllowed(to: challenge.destination)
            else { continue }
            if ownConnections == nil, let again = sent.credential.answering(challenge) {
                ownConnections = ConnectionOwner()
                useCredential(again, persistence, for: challenge, by: entry.id)
                return "login begins again on a connection of its own"
            }
            useCredential(next, persistence, for: challenge, by: entry.id)
            return "login continued"
        }
        refuse(sent)
        return nil
    }

    private static let maximumMessages = 6

    private enum FilterAnswer {
        case unanswered
        case answered(String)
        case waitForVerdict
    }

    /// Asks filters in order, until one answers.
    private mutating func askInOrder(
        _ filters: [FilterList<any ChallengeFilter>.Entry], _ challenge: AuthenticationChallenge
    ) async throws -> FilterAnswer {
        for entry in filters {
            switch try await ask(entry.element, entry.id, challenge) {
            case .notHandled, .after, .present, .trust: continue
            case .cancel:
                emitAnswer(challenge.space, .cancel, by: entry.id)
                throw ConversationError(.cancelled, "The login for \(challenge.space) was cancelled.")
            case .retry:
                emitAnswer(challenge.space, .retry, by: entry.id)
                return .answered("challenge answered")
            case .use(let credential, let persistence):
                if let answer = propose(credential, persistence, for: challenge, by: entry.id) { return answer }
            }
        }
        return .unanswered
    }

    /// Decides about a filter's credential. Nil: it is not sent, and the next filter is asked.
    private mutating func propose(
        _ credential: any Credential, _ persistence: CredentialPersistence, for challenge: AuthenticationChallenge,
        by id: String
    ) -> FilterAnswer? {
        guard credential.isAllowed(to: challenge.destination) else {
            emitAnswer(challenge.space, .refused, by: id, reason: Self.notMeantForIt)
            return nil
        }
        // A refused credential would only be refused again.
        let refused = challenges.refused(in: challenge.space)
        if refused.contains(where: { $0.hasSameSecret(as: credential) }) { return nil }
        // A proxy's credential is tried when it is about to be sent: requests before that may use the same proxy.
        if !challenge.space.isProxy {
            let store = context.session.credentials
            let proposal = store.propose(credential, persistence, for: challenge, refused: refused, by: context.id)
            if case .wait = proposal { return .waitForVerdict }
        }
        useCredential(credential, persistence, for: challenge, by: id)
        return .answered("challenge answered")
    }

    /// Asks a filter, and runs its step if it asks for one.
    private mutating func ask(
        _ filter: any ChallengeFilter, _ id: String, _ challenge: AuthenticationChallenge
    ) async throws -> ChallengeAnswer {
        let context = context
        do {
            // A filter that asks a person directly has the same time limit as a step.
            let answer = try await ConversationContext.limited(
                configuration.interactionTimeout, configuration.clock
            ) { try await filter.answer(challenge, in: context) }
            guard case .after(let step) = answer else { return answer }
            return try await perform(step, for: challenge)
        } catch {
            if Task.isCancelled { throw ConversationError.cancelled }
            if case StepError.timedOut = error {
                throw ConversationError(
                    .timedOut, "Nobody answered the login for \(challenge.space) in time.", challenge: challenge)
            }
            if error is StepError { throw Self.stepFailed(error, challenge.target) }
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential provider failed for \(challenge.space).")
        }
    }

    /// Repeats the same secret with this response's nonce: only the nonce was old. Nobody is asked.
    private mutating func renew(_ challenge: AuthenticationChallenge, _ sent: SentCredential) -> String? {
        guard challenges.stale(in: challenge.space) <= 2, let renewed = sent.credential.answering(challenge)
        else { return nil }
        useCredential(renewed, sent.persistence, for: challenge, by: nil)
        return "nonce expired"
    }

    /// Sends a credential with the next exchange.
    private mutating func useCredential(
        _ credential: any Credential, _ persistence: CredentialPersistence, for challenge: AuthenticationChallenge,
        by id: String?
    ) {
        challenges.record(
            SentCredential(
                space: challenge.space, credential: credential, persistence: persistence,
                challenged: challenge.target), since: challenge.sentUnder)
        emitAnswer(challenge.space, .use, by: id)
    }

    private func emitAnswer(
        _ space: ProtectionSpace, _ verdict: ConversationEvent.ChallengeDecision.Verdict, by filter: String? = nil,
        reason: String? = nil
    ) {
        context.log?.emit(
            .challengeAnswered(.init(space: space, verdict: verdict, filter: filter, reason: reason)))
    }
}
