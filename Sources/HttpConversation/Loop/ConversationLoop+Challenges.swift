import HTTPTypes
import HttpConvFormats
import Logging

extension ConversationLoop {
    // MARK: Reading

    /// Reads all challenges of a 401, or of a proxy's 407, strongest first. Several fields are equivalent to several
    /// challenges in one.
    func readChallenges(
        _ response: TransportResponse, _ status: Int, _ exchange: Exchange
    ) -> [OfferedChallenge] {
        let head = response.head
        let proxy = exchange.isProxyChallenge(response, status) ? exchange.proxy : nil
        guard status == 401 || proxy != nil else { return [] }
        let field = proxy == nil ? HTTPField.Name.wwwAuthenticate : .proxyAuthenticate
        var offered: [OfferedChallenge] = []
        for value in head.headerFields[values: field] where offered.count < Self.maximumChallenges {
            let (challenges, isComplete) = ChallengeParser.parse(value)
            if !isComplete { context.logger.notice("a challenge could not be read to its end") }
            offered += challenges.prefix(Self.maximumChallenges - offered.count)
        }
        // Remember Digest even if no filter answers it: another manager of the session may.
        if offered.contains(where: { $0.method == .digest }) {
            let session = proxy == nil ? context.session : context.session.forProxies
            session.credentials.digestOrigins.insert(proxy?.server.origin ?? exchange.target.origin)
        }
        return ChallengeStrength(configuration.challengeFilters.elements).strongestFirst(offered)
    }

    /// The maximum number of challenges of a response that are handled. Filters are asked about each of them (security
    /// rule S24).
    private static let maximumChallenges = 64

    func hasAnswerableChallenge(_ answered: AnsweredExchange) -> Bool {
        answered.offered.contains { !filters(for: $0, answered).isEmpty }
    }

    private func filters(
        for offered: OfferedChallenge, _ answered: AnsweredExchange
    ) -> [FilterList<any ChallengeFilter>.Entry] {
        let isProxy = answered.isProxyChallenge
        return configuration.challengeFilters.entries.filter {
            $0.element.handles.contains(offered.method) && $0.element.isForProxies == isProxy
        }
    }

    /// The protection space of a challenge, for comparisons only: its realm may repeat secrets of the request.
    func space(of offered: OfferedChallenge, _ answered: AnsweredExchange) -> ProtectionSpace {
        space(of: offered, answered, hiddenRealm: nil)
    }

    /// The protection spaces of some challenges of a response, with realms that may be shown. All at once, because the
    /// work for a response is limited (security rule S24).
    private func shownSpaces(of offered: [OfferedChallenge], _ answered: AnsweredExchange) -> [ProtectionSpace] {
        let realms = offered.map { $0.realm ?? "" }
        let sent = answered.response.sent ?? SentFields(answered.exchange, after: context.sentFields)
        return zip(offered, zip(realms, sent.hidden(in: realms))).map { offered, realm in
            space(of: offered, answered, hiddenRealm: realm.0 == realm.1 ? nil : realm.1)
        }
    }

    private func space(
        of offered: OfferedChallenge, _ answered: AnsweredExchange, hiddenRealm: String?
    ) -> ProtectionSpace {
        let proxy = answered.isProxyChallenge ? answered.exchange.proxy : nil
        return ProtectionSpace(
            origin: proxy?.server.origin ?? answered.target.origin, method: offered.method,
            realm: offered.realm ?? "", isProxy: proxy != nil, hiddenRealm: hiddenRealm,
            hiddenOrigin: proxy == nil && answered.target.hidesOrigin ? answered.target.shownOrigin : nil)
    }

    /// All challenges of a response.
    func offeredChallenges(_ answered: AnsweredExchange) -> [AuthenticationChallenge] {
        zip(answered.offered, shownSpaces(of: answered.offered, answered)).map { challenge($0, of: $1, answered) }
    }

    /// The strongest challenge of a response; nil if there is none.
    func firstChallenge(_ answered: AnsweredExchange) -> AuthenticationChallenge? {
        guard let first = answered.offered.first, let space = shownSpaces(of: [first], answered).first else {
            return nil
        }
        return challenge(first, of: space, answered)
    }

    private func challenge(
        _ offered: OfferedChallenge, of space: ProtectionSpace, _ answered: AnsweredExchange
    ) -> AuthenticationChallenge {
        let proxy = space.isProxy ? answered.exchange.proxy : nil
        return AuthenticationChallenge(
            space: space, offered: offered, target: answered.target, response: answered.head, context: context,
            sent: answered.sent(in: space)?.credential, previousFailureCount: challenges.failureCount(in: space),
            sentUnder: proxy?.epoch ?? answered.exchange.epoch, refused: challenges.refused(in: space),
            proxy: proxy?.server, serverEndPoint: proxy == nil ? answered.response.connection?.serverEndPoint : nil)
    }

    // MARK: Verdicts

    /// Records the server's verdict on the exchange's credential.
    mutating func noteVerdict(_ answered: AnsweredExchange) {
        // If the proxy asks, the server has not answered yet.
        guard let sent = answered.exchange.sent, !answered.isProxyChallenge else { return }
        let store = context.session.credentials
        if !answered.offered.contains(where: { space(of: $0, answered) == sent.space }) {
            if answered.status == 401 { return noteRefusal(of: sent, answered) }
            if HTTPResponse.Status.leavesLoginUnjudged(answered.status) {
                return store.release(sent.space, by: context.id)
            }
            sent.credential.received(answered.head)
            hasLoggedIn = true
            challenges.accepted(sent, isOver: sent.credential.servesOneExchange)
            if let challenged = sent.challenged, challenged == answered.target {
                store.learn(challenged, belongsTo: sent.space)
            }
            store.settle(
                sent.credential, for: sent.space, ahead: sent.challenged == nil ? sent : nil,
                sentUnder: answered.exchange.epoch, accepted: true, keep: sent.persistence == .session, by: context.id)
        } else {
            noteRefusal(of: sent, answered)
        }
    }

    /// Records that a credential was refused, unless only its nonce was old.
    mutating func noteRefusal(of sent: SentCredential, _ answered: AnsweredExchange) {
        let store = context.credentials(for: sent.space)
        let again = answered.offered.filter { space(of: $0, answered) == sent.space }
        if again.isEmpty { return noteRefusalWithoutChallenge(of: sent) }
        if again.contains(where: { $0.isStale || isContinued(sent, by: $0) }) {
            // The next exchange may wait for a conversation that waits for this one, so a proxy's credential is claimed
            // again just before it is sent.
            if sent.space.isProxy { store.release(sent.space, by: context.id) }
            return
        }
        refuse(sent)
    }

    /// Records the answer to a credential that asks for a login, but not for this one.
    ///
    /// A password that answered a challenge was refused: each further attempt would bring the account closer to being
    /// locked. A password that was accepted before may be right: perhaps only this resource wants another login. Other
    /// credentials lock no account.
    private mutating func noteRefusalWithoutChallenge(of sent: SentCredential) {
        let store = context.credentials(for: sent.space)
        guard sent.challenged != nil, [.basic, .digest].contains(sent.space.method),
            !store.wasAccepted(sent.credential, in: sent.space)
        else { return store.release(sent.space, by: context.id) }
        refuse(sent, isUntold: true)
    }

    /// Takes back the refusal of a password by a 401 without its challenge: a filter has another answer to that 401, so
    /// the password may have been right.
    mutating func withdrawRefusal(_ answered: AnsweredExchange) {
        guard answered.status == 401, let sent = answered.exchange.sent,
            context.session.credentials.withdrawUntold(sent.credential, in: sent.space)
        else { return }
        challenges.withdrawRefusal(of: sent)
    }

    /// Records that the server has refused a credential.
    ///
    /// - Parameter isUntold: whether the filters do not learn of the refusal in this conversation, because they are not
    ///   asked again
    private mutating func refuse(_ sent: SentCredential, isUntold: Bool = false) {
        challenges.refuse(sent.credential, in: sent.space)
        context.credentials(for: sent.space).settle(
            sent.credential, for: sent.space, accepted: false, keep: false, isUntold: isUntold, by: context.id)
    }

    /// Whether a challenge is a further message of the login.
    private func isContinued(_ sent: SentCredential, by offered: OfferedChallenge) -> Bool {
        !sent.space.isProxy && sent.credential.isContinued(by: offered)
    }

    /// The challenge that is a further message of the login that the exchange carried.
    private func furtherMessage(_ answered: AnsweredExchange) -> OfferedChallenge? {
        guard let sent = answered.exchange.sent, !answered.isProxyChallenge else { return nil }
        return answered.offered.first { space(of: $0, answered) == sent.space && isContinued(sent, by: $0) }
    }

    /// Checks the server's proof, before anybody gets the response.
    nonisolated(nonsending) func verify(_ answered: AnsweredExchange) async throws {
        guard let sent = answered.exchange.sent, !answered.isProxyChallenge,
            !answered.offered.contains(where: { space(of: $0, answered) == sent.space })
        else { return }
        do { try await sent.credential.verify(answered.head) } catch {
            answered.response.body.cancel()
            if Task.isCancelled { throw ConversationError.cancelled }
            throw ConversationError.wrapping(
                error, as: .authenticationFailed,
                "\(answered.target.origin) has not proved who it is, so its answer is not used.")
        }
    }

    /// Releases the credentials without a verdict, so that other conversations can try them.
    func releaseProbes() {
        for space in challenges.spaces { context.credentials(for: space).release(space, by: context.id) }
    }

    // MARK: Answering

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
                for: challenge, refused: challenges.refused(in: space), isOverdue: challenges.waitedInVain)
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
        challenges.waitedInVain = await !store.waitsForVerdict(on: space, clock: configuration.clock)
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
