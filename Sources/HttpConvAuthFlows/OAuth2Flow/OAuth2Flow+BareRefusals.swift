import HttpConvConcurrency
import HttpConvPlatform
import HttpConversation
import Logging

/// A 401 without a Bearer or DPoP challenge may mean that the tokens have ended: Salesforce's, Kubernetes' and gateways'
/// say no more.
extension OAuth2Flow {
    /// The consequence of such a 401 for the tokens that the exchange carried: they are renewed once in a conversation,
    /// and never with a person's help. If that does not help, the 401 is the answer, and for ten minutes another one
    /// does not renew the same tokens.
    func demand(ofBare challenge: OAuth2Challenge) async throws -> Demand {
        let context = challenge.context
        guard challenge.response?.status == .unauthorized, challenge.bearer.isEmpty,
            let sent = progress(context).sent, sent.target.origin == challenge.target.origin
        else { return .none }
        let (key, server) = (sent.key, challenge.target.origin)
        guard update(context, { $0.renewedForBareRefusal.insert(key).inserted }) else {
            refusals.note([sent.tokens.accessToken], .bare, key, by: server)
            return .none
        }
        guard !refusals.contains(sent.tokens, .bare, key, by: server),
            let support = try await support(of: key, for: challenge.target, in: context)
        else { return .none }
        let now = clock.date
        update(context) { $0.noteChallenge(key, at: now) }
        if let stored = try? await store.tokens(for: key, in: context), !stored.isExpired(at: now),
            stored.accessToken != sent.tokens.accessToken
        {
            return .tokensAtHand
        }
        let job = RenewalJob(
            flow: self, key: key, support: support, challenge: challenge, refused: [sent.tokens.accessToken],
            mayRefresh: true, mayGrant: false, mayGrantAlone: true, hasUsableTokens: true, keepsTokens: true)
        return .tokens(step(job, sent))
    }

    private func support(
        of key: OAuth2TokenKey, for target: TargetURL, in context: ConversationContext
    ) async throws -> (any OAuth2ServerSupport)? {
        for support in supports where support.maySendTokens(to: target) && support.key(for: target) == key {
            if try await support.claims(target, in: context) { return support }
        }
        return nil
    }

    private struct StepKey: Hashable, Sendable {
        let flow: FlowIdentity
        let key: OAuth2TokenKey
        let refused: Redacted<String>
    }

    /// The job as a step that fails only if it is cancelled.
    private func step(_ job: RenewalJob, _ sent: SentTokens) -> ConversationStep<StepOutcome> {
        let refused = sent.tokens.accessToken
        let server = job.challenge.target.origin
        return ConversationStep(
            StepKey(flow: identity, key: job.key, refused: refused), policy: .fetch
        ) { [self] context in
            do {
                if case .tokens(let tokens) = try await context.perform(job.step), tokens.accessToken != refused {
                    return .done
                }
                refusals.note([refused], .bare, job.key, by: server)
            } catch {
                try Task.checkCancellation()
                guard !(error is CancellationError) else { throw error }
                let failure = error as? OAuth2Error
                if failure?.leavesOldTokens != true { refusals.note([refused], .bare, job.key, by: server) }
                context.logger.notice(
                    "tokens could not be renewed after a 401 without a Bearer challenge",
                    metadata: ["code": "\(failure.map { "\($0.code)" } ?? "other")"])
            }
            return .declined
        }
    }
}
