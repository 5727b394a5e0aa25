import HTTPTypes
import HttpConversation
import Logging

/// The consequence of a challenge for the tokens: they are sent again with a new proof, or new ones are obtained.
extension OAuth2Flow {
    /// The consequence of a challenge for the tokens.
    enum Demand {
        /// No support recognises a challenge.
        case none
        /// There are tokens that the server has not refused yet.
        case tokensAtHand
        /// Tokens have to be obtained.
        case tokens(ConversationStep<StepOutcome>)
    }

    /// The consequence of a challenge.
    ///
    /// - Throws: `OAuth2Error` if another login would end the same way
    func demand(of challenge: OAuth2Challenge) async throws -> Demand {
        for support in supports where try await support.claims(challenge.target, in: challenge.context) {
            guard try await support.recognizesChallenge(in: challenge) else { continue }
            guard support.maySendTokens(to: challenge.target) else {
                challenge.context.logger.warning(
                    "a server asks for an access token that must not go to it: not one of the token origins, or plain http",
                    metadata: ["origin": "\(challenge.target.origin)"])
                continue
            }
            return try await demand(support, challenge)
        }
        return .none
    }

    private func demand(
        _ support: any OAuth2ServerSupport, _ challenge: OAuth2Challenge
    ) async throws -> Demand {
        let key = support.key(for: challenge.target)
        if try renewsProof(challenge) { return .tokensAtHand }
        let now = clock.date
        update(challenge.context) { $0.noteChallenge(key, at: now) }
        let progress = progress(challenge.context)
        var refused = progress.refused(key)
        let demand = challenge.demand
        let kind = demand == nil ? RefusedTokens.Kind.challenged : .demanded
        // Tokens of a login made during this conversation were refused: another login would end the same way.
        guard demand == nil ? !progress.hasTried(.grant, key) : !progress.hasSteppedUp(key) else {
            refusals.note(refused, kind, key, by: challenge.target.origin)
            throw Self.refusedAgain(kind, key, challenge)
        }
        let stored = try await store.tokens(for: key, in: challenge.context)
        // The server refused these tokens, or such tokens, in another conversation a short time ago.
        if let stored, refused.contains(stored.accessToken),
            refusals.contains(stored, kind, key, by: challenge.target.origin)
        {
            throw Self.refusedAgain(kind, key, challenge)
        }
        if let stored, try await isUnfit(stored, support, challenge.target, challenge.context) {
            refused.insert(stored.accessToken)
        }
        if let stored, !refused.contains(stored.accessToken), !stored.isExpired(at: clock.date) {
            return .tokensAtHand
        }
        let job = RenewalJob(
            flow: self, key: key, support: support, challenge: challenge, refused: refused,
            mayRefresh: demand == nil && !progress.hasTried(.refresh, key), mayGrant: true, demand: demand,
            isWaitedFor: stored == nil)
        return .tokens(Self.step(job, kind, tries: 3))
    }

    /// Repeats the job: the first run may be another conversation's, which refused fewer tokens or could not log in.
    private static func step(
        _ job: RenewalJob, _ kind: RefusedTokens.Kind, tries: Int
    ) -> ConversationStep<StepOutcome> {
        job.step.map { renewal in
            var next = job
            if case .tokens(let tokens) = renewal {
                if !job.refused.contains(tokens.accessToken) { return .done }
                // Some servers answer a refresh with the same access token until it expires.
                next.mayRefresh = false
            }
            guard tries > 1 else {
                if case .tokens = renewal {
                    job.flow.refusals.note(job.refused, kind, job.key, by: job.challenge.target.origin)
                }
                throw refusedAgain(.challenged, job.key, job.challenge)
            }
            return .next(step(next, kind, tries: tries - 1))
        }
    }

    private static func refusedAgain(
        _ kind: RefusedTokens.Kind, _ key: OAuth2TokenKey, _ challenge: OAuth2Challenge
    ) -> OAuth2Error {
        let (origin, status) = (challenge.target.origin, challenge.response?.status.code)
        guard kind != .demanded else {
            return OAuth2Error(
                .insufficientAuthentication,
                "\(origin) demands another kind of login, right after a login of the demanded kind: does the authorization server offer it?",
                status: status)
        }
        return OAuth2Error(
            .accessTokenRefused,
            "\(origin) refuses access tokens that were issued for \(key) a moment ago: do the server and the client agree on audience and scopes?",
            status: status)
    }
}
