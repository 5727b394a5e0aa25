import HTTPTypes
import Logging

extension ConversationLoop {
    // MARK: Reading

    /// Every challenge of a 401, strongest first; several fields and several challenges in one are alike.
    mutating func readChallenges(_ head: HTTPResponse) {
        // 407 is nobody's business here: this exchange used no proxy (security rule S5).
        guard head.status == .unauthorized else { return }
        let offered = head.headerFields[values: .wwwAuthenticate].flatMap { value in
            let (challenges, isComplete) = ChallengeParser.parse(value)
            if !isComplete { context.logger.notice("a challenge could not be read to its end") }
            return challenges
        }
        exchange.offered = ChallengeStrength.strongestFirst(offered)
        // Whoever would answer: the next conversation of the session may be another manager's.
        if offered.contains(where: { $0.method == .digest }) {
            context.session.credentials.digestOrigins.insert(exchange.request.target.origin)
        }
    }

    var hasAnswerableChallenge: Bool {
        exchange.offered.contains { challenge in
            configuration.challengeFilters.elements.contains { $0.handles.contains(challenge.method) }
        }
    }

    func firstChallenge() -> AuthenticationChallenge? { exchange.offered.first.flatMap(challenge) }

    private func space(of offered: OfferedChallenge) -> ProtectionSpace {
        ProtectionSpace(origin: exchange.request.target.origin, method: offered.method, realm: offered.realm ?? "")
    }

    private func challenge(_ offered: OfferedChallenge) -> AuthenticationChallenge? {
        guard let head = exchange.head else { return nil }
        let space = space(of: offered)
        return AuthenticationChallenge(
            space: space, offered: offered, target: exchange.request.target, response: head, context: context,
            sent: exchange.sent.flatMap { $0.space == space ? $0.credential : nil },
            previousFailureCount: answers.failureCount(in: space), sentUnder: exchange.epoch,
            refused: answers.refused(in: space))
    }

    // MARK: Verdicts

    /// What the response says about the credential that the exchange carried.
    mutating func noteVerdict(_ head: HTTPResponse) {
        guard let sent = exchange.sent else { return }
        let store = context.session.credentials
        let again = exchange.offered.filter { space(of: $0) == sent.space }
        if again.isEmpty {
            if head.status == .unauthorized { return store.release(sent.space, by: context.id) }
            sent.credential.received(head)
            answers.accepted(in: sent.space)
            if let challenged = sent.challenged, challenged == exchange.request.target {
                store.learn(challenged, belongsTo: sent.space)
            }
            store.settle(
                sent.credential, for: sent.space, accepted: true, keep: sent.persistence == .session, by: context.id)
        } else if !again.contains(where: { $0.parameter("stale")?.lowercased() == "true" }) {
            answers.refuse(sent.credential, in: sent.space)
            store.settle(sent.credential, for: sent.space, accepted: false, keep: false, by: context.id)
        }
    }

    /// Whatever this conversation was trying out and got no verdict on, another one may try.
    func releaseProbes() {
        for space in answers.spaces { context.session.credentials.release(space, by: context.id) }
    }

    // MARK: Answering

    private static let digestOffered = "this origin has offered Digest: no password goes there by Basic"
    private static let notMeantForIt = "the credential is not for this server"

    /// Challenges from the strongest down; for each, what is known, then the filters in order (design.md §3.4).
    mutating func answerChallenges() async throws(ConversationError) -> ConversationStateMachine.Event {
        await finishExchange()
        for offered in exchange.offered {
            let space = space(of: offered)
            context.log.emit(.challengeReceived) { $0.space = space }
            if offered.method == .basic, !context.sendsBasic(to: space.origin) {
                emitAnswer(space, "refused", reason: Self.digestOffered)
                continue
            }
            if let reason = try await answer(offered, of: space) {
                // The caller's own Authorization was refused with this exchange: the answer takes its place.
                hop.headerFields[.authorization] = nil
                return .challengesDecided(.repeatExchange(reason: reason))
            }
            emitAnswer(space, "notHandled")
        }
        return .challengesDecided(.unanswered)
    }

    /// Why the exchange is to be repeated, or nil where nobody has an answer for this challenge.
    private mutating func answer(
        _ offered: OfferedChallenge, of space: ProtectionSpace
    ) async throws(ConversationError) -> String? {
        let filters = configuration.challengeFilters.entries.filter { $0.element.handles.contains(offered.method) }
        guard !filters.isEmpty, let first = challenge(offered) else { return nil }
        if first.isStale, first.sent != nil { return renew(first) }
        while true {
            if Task.isCancelled { throw .cancelled }
            guard let challenge = challenge(offered) else { return nil }
            let store = context.session.credentials
            switch store.advice(for: challenge, refused: answers.refused(in: space)) {
            case .use(let known, let persistence):
                guard let credential = known.answering(challenge) else { return nil }
                give(credential, persistence, for: challenge, by: nil)
                return "credential known"
            case .wait:
                await store.waitForVerdict(on: space)
            case .refusedMeanwhile(let credential):
                answers.refuse(credential, in: space)
            case .ask:
                switch try await ask(filters, challenge) {
                case .unanswered: return nil
                case .answered(let reason): return reason
                case .waitForVerdict: await store.waitForVerdict(on: space)
                }
            }
        }
    }

    private enum Asked {
        case unanswered
        case answered(String)
        case waitForVerdict
    }

    private mutating func ask(
        _ filters: [FilterList<any ChallengeFilter>.Entry], _ challenge: AuthenticationChallenge
    ) async throws(ConversationError) -> Asked {
        for entry in filters {
            switch try await ask(entry.element, entry.id, challenge) {
            case .notHandled: continue
            case .cancel:
                emitAnswer(challenge.space, "cancel", by: entry.id)
                throw ConversationError(.cancelled, "The login for \(challenge.space) was cancelled.")
            case .retry:
                emitAnswer(challenge.space, "retry", by: entry.id)
                return .answered("challenge answered")
            case .use(let credential, let persistence):
                // What was refused before is no answer: it would only be refused again.
                let refused = answers.refused(in: challenge.space)
                guard credential.mayGo(to: challenge.destination) else {
                    emitAnswer(challenge.space, "refused", by: entry.id, reason: Self.notMeantForIt)
                    continue
                }
                if refused.contains(where: { $0.hasSameSecret(as: credential) }) { continue }
                let store = context.session.credentials
                switch store.propose(credential, for: challenge, refused: refused, by: context.id) {
                case .wait: return .waitForVerdict
                case .probe, .use:
                    give(credential, persistence, for: challenge, by: entry.id)
                    return .answered("challenge answered")
                }
            }
        }
        return .unanswered
    }

    /// A filter may wait for a person, but not for ever.
    private func ask(
        _ filter: any ChallengeFilter, _ id: String, _ challenge: AuthenticationChallenge
    ) async throws(ConversationError) -> ChallengeAnswer {
        let context = context
        let question = { @Sendable () async -> Result<ChallengeAnswer, any Error> in
            do { return .success(try await filter.answer(challenge, in: context)) } catch { return .failure(error) }
        }
        let answer: Result<ChallengeAnswer, any Error>?
        if let limit = configuration.interactionTimeout {
            answer = await Deadline.race(limit, clock: configuration.clock, question)
        } else {
            answer = await question()
        }
        if Task.isCancelled { throw .cancelled }
        guard let answer else {
            throw ConversationError(
                .timedOut, "Nobody answered the login for \(challenge.space) in time.", challenge: challenge)
        }
        do { return try answer.get() } catch {
            throw ConversationError.wrapping(
                error, as: .authenticationFailed, "The credential provider failed for \(challenge.space).")
        }
    }

    /// The secret was right, only the nonce was old: the same secret with this response's nonce, nobody is asked.
    private mutating func renew(_ challenge: AuthenticationChallenge) -> String? {
        guard answers.stale(in: challenge.space) <= 2, let sent = exchange.sent,
            let renewed = sent.credential.answering(challenge)
        else { return nil }
        give(renewed, sent.persistence, for: challenge, by: nil)
        return "nonce expired"
    }

    private mutating func give(
        _ credential: any Credential, _ persistence: CredentialPersistence, for challenge: AuthenticationChallenge,
        by id: String?
    ) {
        answers.give(
            SentCredential(
                space: challenge.space, credential: credential, persistence: persistence, challenged: challenge.target))
        emitAnswer(challenge.space, "use", by: id)
    }

    private func emitAnswer(
        _ space: ProtectionSpace, _ verdict: String, by filter: String? = nil, reason: String? = nil
    ) {
        context.log.emit(.challengeAnswered) {
            $0.space = space
            $0.verdict = verdict
            $0.filter = filter
            $0.reason = reason
        }
    }
}
