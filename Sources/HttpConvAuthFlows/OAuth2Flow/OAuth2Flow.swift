import Foundation
import HTTPTypes
import HttpConvConcurrency
import HttpConversation
import Logging

/// The OAuth2 flow of one configurator, shared by its filters and its token manager.
final class OAuth2Flow: Sendable {
    let supports: [any OAuth2ServerSupport]
    /// Whether a support has to ask elsewhere which servers it serves.
    let asks: Bool
    let store: TokenStorageFallback
    let web: WebLoginEnvironment
    let settings: OAuth2Settings
    /// The setting in seconds: converting it costs more than comparing it.
    private let refreshAhead: TimeInterval
    let backoff = EndpointBackoff()
    let nonces: DPoPNonces
    let changes: Broadcast<OAuth2TokenChange>
    let identity = FlowIdentity()

    init(
        supports: [any OAuth2ServerSupport], storage: any OAuth2TokenStorage, settings: OAuth2Settings,
        web: WebLoginEnvironment, changes: Broadcast<OAuth2TokenChange> = Broadcast(backlog: 100),
        nonces: DPoPNonces = DPoPNonces()
    ) {
        self.nonces = nonces
        self.changes = changes
        self.supports = supports
        asks = supports.contains { $0 is any AsyncOAuth2ServerSupport }
        self.settings = settings
        refreshAhead = settings.refreshAhead / .seconds(1)
        self.web = web
        store = TokenStorageFallback(storage)
    }

    func prover(_ key: DPoPKey) -> DPoPProver { DPoPProver(key: key, nonces: nonces, clock: settings.clock) }

    // MARK: State of a conversation

    func progress(_ context: ConversationContext) -> OAuth2Progress {
        store(context)?.progress.withLock { $0 } ?? OAuth2Progress()
    }

    /// Whether OAuth2 was involved in the conversation.
    func hasProgress(_ context: ConversationContext) -> Bool { context.memory(of: self) != nil }

    /// Whether the last exchange carried tokens that are bound to a key.
    func sentBoundTokens(in context: ConversationContext) -> Bool {
        store(context)?.progress.withLock { $0.sent?.tokens.dpopKey != nil } ?? false
    }

    /// Filters of one conversation run one after the other, so reading and changing the state cannot interleave.
    func update<Result: Sendable>(
        _ context: ConversationContext, _ change: (inout OAuth2Progress) -> Result
    ) -> Result {
        if let store = store(context) { return store.progress.withLock { change(&$0) } }
        var progress = OAuth2Progress()
        let result = change(&progress)
        context.remember(OAuth2ProgressStore(progress), of: self)
        return result
    }

    private func store(_ context: ConversationContext) -> OAuth2ProgressStore? {
        context.memory(of: self) as? OAuth2ProgressStore
    }

    // MARK: Before an exchange

    /// The first support whose tokens a request may need; nil if there is none.
    ///
    /// Synchronous: questions to other places are left to ``firstSupport(from:for:in:)``.
    func firstSupport(for target: TargetURL) -> Int? { supports.firstIndex { Self.mayServe($0, target) } }

    /// The first support from an index on, including supports that have to ask elsewhere.
    nonisolated(nonsending) func firstSupport(
        from first: Int, for target: TargetURL, in context: ConversationContext
    ) async throws -> Int? {
        for index in first..<supports.count where try await serves(index, target, context) { return index }
        return nil
    }

    private static func mayServe(_ support: any OAuth2ServerSupport, _ target: TargetURL) -> Bool {
        support.isSupportedEndpoint(target) && support.maySendTokens(to: target)
    }

    private nonisolated(nonsending) func serves(_ index: Int, _ target: TargetURL, _ context: ConversationContext)
        async throws -> Bool
    {
        guard Self.mayServe(supports[index], target) else { return false }
        return asks ? try await supports[index].claims(target, in: context) : true
    }

    /// The tokens for an exchange, if they are in memory, and valid: the usual case. Nil: see `tokensToSend`.
    ///
    /// - Parameter first: the result of `firstSupport`
    func tokensInMemory(to target: TargetURL, by first: Int) -> SentTokens? {
        let key = supports[first].key(for: target)
        guard let stored = store.tokensInMemory(for: key), stored.certificateThumbprint == nil,
            stored.refreshToken == nil || !needsRenewal(stored)
        else { return nil }
        return SentTokens(key: key, tokens: stored, to: target)
    }

    /// The tokens for an exchange, renewed if they are about to expire.
    ///
    /// - Parameter first: the result of `firstSupport`
    nonisolated(nonsending) func tokensToSend(
        to target: TargetURL, by first: Int, in context: ConversationContext
    ) async throws -> SentTokens? {
        for index in first..<supports.count {
            if index != first, !(try await serves(index, target, context)) { continue }
            let support = supports[index]
            let key = support.key(for: target)
            let stored = try await store.tokens(for: key, in: context)
            let isBoundElsewhere = try await isBoundElsewhere(stored, support, target, context)
            if let stored, !isBoundElsewhere, stored.refreshToken == nil || !needsRenewal(stored) {
                return SentTokens(key: key, tokens: stored, to: target)
            }
            let usable = isBoundElsewhere ? nil : stored
            if let tokens = try await renewed(stored, usable, key, support, to: target, in: context) {
                return SentTokens(key: key, tokens: tokens, to: target)
            }
        }
        return nil
    }

    private func needsRenewal(_ tokens: OAuth2Tokens) -> Bool {
        tokens.needsRenewal(at: settings.clock.date, seconds: refreshAhead)
    }

    /// - Parameter usable: the tokens to send if the server cannot renew them now
    private func renewed(
        _ stored: OAuth2Tokens?, _ usable: OAuth2Tokens?, _ key: OAuth2TokenKey, _ support: any OAuth2ServerSupport,
        to target: TargetURL,
        in context: ConversationContext
    ) async throws -> OAuth2Tokens? {
        guard let stored else { return nil }
        let now = settings.clock.date
        do {
            return try await renewAhead(key, support, stored, target, context)
        } catch let error as OAuth2Error where error.isTemporary {
            guard let usable, !usable.isExpired(at: now) else { throw error }
            context.logger.notice("tokens could not be renewed ahead of their end", metadata: ["code": "\(error.code)"])
            return usable
        }
    }

    private func renewAhead(
        _ key: OAuth2TokenKey, _ support: any OAuth2ServerSupport, _ stored: OAuth2Tokens, _ target: TargetURL,
        _ context: ConversationContext
    ) async throws -> OAuth2Tokens? {
        let job = RenewalJob(
            flow: self, key: key, support: support,
            challenge: OAuth2Challenge(target: target, response: nil, context: context),
            refused: [stored.accessToken], mayRefresh: true, mayGrant: false)
        switch try await context.perform(job.step) {
        case .tokens(let tokens): return tokens
        case .needsGrant: return nil
        }
    }

    // MARK: After a challenge

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
        update(challenge.context) { $0.noteChallenge(key) }
        let progress = progress(challenge.context)
        var refused = progress.refused(key)
        let demand = challenge.demand
        // Tokens of a login made during this conversation were refused: another login would end the same way.
        guard demand == nil ? !progress.hasTried(.grant, key) : !progress.hasSteppedUp(key) else {
            throw demand == nil ? Self.refusedAgain(key, challenge) : Self.steppedUpInVain(challenge)
        }
        let stored = try await store.tokens(for: key, in: challenge.context)
        if let stored, try await isBoundElsewhere(stored, support, challenge.target, challenge.context) {
            refused.insert(stored.accessToken)
        }
        if let stored, !refused.contains(stored.accessToken), !stored.isExpired(at: settings.clock.date) {
            return .tokensAtHand
        }
        let job = RenewalJob(
            flow: self, key: key, support: support, challenge: challenge, refused: refused,
            mayRefresh: demand == nil && !progress.hasTried(.refresh, key), mayGrant: true, demand: demand,
            isWaitedFor: stored == nil)
        return .tokens(Self.step(job, tries: 3))
    }

    /// Repeats the job: the first run may be another conversation's, which refused fewer tokens or could not log in.
    private static func step(_ job: RenewalJob, tries: Int) -> ConversationStep<StepOutcome> {
        job.step.map { renewal in
            var next = job
            if case .tokens(let tokens) = renewal {
                if !job.refused.contains(tokens.accessToken) { return .done }
                // Some servers answer a refresh with the same access token until it expires.
                next.mayRefresh = false
            }
            guard tries > 1 else { throw refusedAgain(job.key, job.challenge) }
            return .next(step(next, tries: tries - 1))
        }
    }

    private static func steppedUpInVain(_ challenge: OAuth2Challenge) -> OAuth2Error {
        OAuth2Error(
            .insufficientAuthentication,
            "\(challenge.target.origin) demands another kind of login, right after a login of the demanded kind: does the authorization server offer it?",
            status: challenge.response?.status.code)
    }

    private static func refusedAgain(_ key: OAuth2TokenKey, _ challenge: OAuth2Challenge) -> OAuth2Error {
        OAuth2Error(
            .accessTokenRefused,
            "\(challenge.target.origin) refuses access tokens that were issued for \(key) a moment ago: do the server and the client agree on audience and scopes?",
            status: challenge.response?.status.code)
    }
}
