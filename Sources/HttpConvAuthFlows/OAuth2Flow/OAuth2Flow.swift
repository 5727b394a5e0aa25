import HttpConvConcurrency
import HttpConvPlatform
import HttpConversation
import Logging
import Synchronization

/// The OAuth2 flow of one configurator, shared by its filters and its token manager.
final class OAuth2Flow: Sendable {
    let supports: [any OAuth2ServerSupport]
    /// Whether a support has to ask elsewhere which servers it serves.
    let hasAsyncSupports: Bool
    let store: TokenStorageFallback
    let web: WebLoginEnvironment
    let settings: OAuth2Settings
    /// Copies of the settings that each request needs, because copying all settings costs more than using one, and
    /// converting a duration costs more than comparing it.
    let clock: any WallClock
    private let refreshAhead: TimeInterval
    /// The servers of each support; nil if one of them decides in another way.
    private let servers: [ServerSet]?
    /// Whether each support's first tokens need a person; nil if that depends on a configuration that is fetched later.
    private let needsPerson: [Bool?]
    /// Whether each support sends only tokens that are bound to a key.
    private let requiresBoundTokens: [Bool]
    /// The key of the last request to a support with constant keys, for further ones to the same URL.
    private let last = Mutex<(target: TargetURL, support: Int, key: OAuth2TokenKey)?>(nil)
    private let lastRenewal = Mutex<(key: OAuth2TokenKey, step: SendableKey)?>(nil)
    /// Whether a request has carried tokens that are bound to a key.
    let hasSentBoundTokens = Atomic<Bool>(false)
    let backoff = EndpointBackoff()
    /// The logins of password grants at the token endpoints.
    let passwords: PasswordAttempts<Origin>
    /// The new tokens that servers refused.
    let refusals: RefusedTokens
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
        hasAsyncSupports = supports.contains { $0 is any AsyncOAuth2ServerSupport }
        let known = supports.compactMap { ServerSet(of: $0) }
        servers = known.count == supports.count ? known : nil
        needsPerson = supports.map(\.grantNeedsPerson)
        requiresBoundTokens = supports.map(\.requiresBoundTokens)
        self.settings = settings
        clock = settings.clock
        passwords = PasswordAttempts(clock: settings.clock)
        refusals = RefusedTokens(clock: settings.clock)
        refreshAhead = settings.refreshAhead / .seconds(1)
        self.web = web
        store = TokenStorageFallback(storage)
    }

    func prover(_ key: DPoPKey) -> DPoPProver { DPoPProver(key: key, nonces: nonces, clock: clock) }

    // MARK: State of a conversation

    func progress(_ context: ConversationContext) -> OAuth2Progress {
        progressStore(of: context)?.progress.withLock { $0 } ?? OAuth2Progress()
    }

    /// Whether OAuth2 was involved in the conversation.
    func hasProgress(_ context: ConversationContext) -> Bool { context.memory(of: self) != nil }

    /// Whether the last exchange carried tokens that are bound to a key.
    func sentBoundTokens(in context: ConversationContext) -> Bool {
        guard hasSentBoundTokens.load(ordering: .relaxed) else { return false }
        return progressStore(of: context)?.progress.withLock { $0.sent?.tokens.dpopKey != nil } ?? false
    }

    /// Filters of one conversation run one after the other, so reading and changing the state cannot interleave.
    func update<Result: Sendable>(
        _ context: ConversationContext, _ change: (inout OAuth2Progress) -> Result
    ) -> Result {
        (progressStore(of: context) ?? newProgressStore(of: context)).progress.withLock { change(&$0) }
    }

    /// Records the tokens of an exchange, or that it carries none.
    func note(_ sent: SentTokens?, at now: Date, _ context: ConversationContext) {
        update(context) { progress in
            progress.sent = sent
            if progress.begin == nil { progress.begin = now }
        }
    }

    private func newProgressStore(of context: ConversationContext) -> OAuth2ProgressStore {
        let new = OAuth2ProgressStore()
        context.remember(new, of: self)
        return new
    }

    private func progressStore(of context: ConversationContext) -> OAuth2ProgressStore? {
        context.memory(of: self) as? OAuth2ProgressStore
    }

    // MARK: Before an exchange

    /// The first support whose tokens a request may need; nil if there is none.
    ///
    /// Synchronous: questions to other places are left to ``firstSupport(from:for:in:)``.
    func firstSupport(for target: TargetURL) -> Int? {
        guard let servers else { return supports.firstIndex { Self.mayServe($0, target) } }
        return target.origin.isSecure ? servers.firstIndex { $0.contains(target.origin) } : nil
    }

    /// The first support from an index on, including supports that have to ask elsewhere.
    @inline(never) nonisolated(nonsending) func firstSupport(
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
        return hasAsyncSupports ? try await supports[index].claims(target, in: context) : true
    }

    /// The tokens for an exchange, if they are in memory, and valid: the usual case. Nil: see `tokensToSend`.
    ///
    /// - Parameter first: the result of `firstSupport`
    func tokensInMemory(to target: TargetURL, by first: Int, at now: Date) -> SentTokens? {
        tokensInMemory(under: key(for: target, by: first), of: first, to: target, at: now)
    }

    private func tokensInMemory(
        under key: OAuth2TokenKey, of support: Int, to target: TargetURL, at now: Date
    ) -> SentTokens? {
        guard let stored = store.tokensInMemory(for: key), fits(stored, support),
            isCurrent(stored, at: now) || isSentAfterExpiry(stored, of: support)
        else { return nil }
        return SentTokens(key: key, tokens: stored, target: target)
    }

    /// Whether the tokens' bindings permit sending them. False for a binding to a certificate, which `isUnfit` checks.
    private func fits(_ tokens: OAuth2Tokens, _ support: Int) -> Bool {
        tokens.certificateThumbprint == nil && (!requiresBoundTokens[support] || tokens.dpopKey != nil)
    }

    /// Whether tokens are sent without a renewal: until they are due for one, and without a refresh token until they
    /// expire.
    func isCurrent(_ tokens: OAuth2Tokens, at now: Date) -> Bool {
        !tokens.needsRenewal(at: now, seconds: refreshAhead)
            || tokens.refreshToken == nil && !tokens.isExpired(at: now)
    }

    /// Whether expired tokens are still sent: those without a refresh token, if new ones need a person. Our clock may
    /// be wrong, so the server decides.
    @inline(never) private func isSentAfterExpiry(_ tokens: OAuth2Tokens, of support: Int) -> Bool {
        tokens.refreshToken == nil && needsPerson[support] == true
    }

    private func key(for target: TargetURL, by support: Int) -> OAuth2TokenKey {
        let known = last.withLock { last in
            last.flatMap { $0.support == support && $0.target == target ? $0.key : nil }
        }
        if let known { return known }
        let key = supports[support].key(for: target)
        if supports[support].hasConstantKeys { last.withLock { $0 = (target, support, key) } }
        return key
    }

    /// A renewal that another conversation has begun.
    struct RunningRenewal {
        let key: OAuth2TokenKey
        /// The tokens that it replaces.
        let stored: OAuth2Tokens
        let support: Int
        let place: SessionSteps.Place
    }

    /// The tokens after a renewal that another conversation has begun.
    enum EndOfRenewal {
        /// The tokens must be read again: see `tokensToSend`.
        case unknown
        /// The tokens to send, if there are any.
        case tokens(SentTokens?)
    }

    /// Joins a conversation that renews the tokens for an exchange. Nil if no conversation renews them, or if the
    /// stored tokens must be read again: see `tokensToSend`.
    ///
    /// - Parameter first: as for `tokensInMemory`
    func runningRenewal(to target: TargetURL, by first: Int, in context: ConversationContext) -> RunningRenewal? {
        let key = key(for: target, by: first)
        guard let stored = store.tokensInMemory(for: key), fits(stored, first),
            let place = context.joinIfRunning(renewal(of: key))
        else { return nil }
        return RunningRenewal(key: key, stored: stored, support: first, place: place)
    }

    /// The tokens after a renewal, with its outcome.
    func tokens(
        of renewal: RunningRenewal, _ record: SessionSteps.StepOutcomeRecord, to target: TargetURL, at now: Date
    ) -> EndOfRenewal {
        // Much cheaper than the cast of the outcome.
        if let tokens = tokensInMemory(under: renewal.key, of: renewal.support, to: target, at: now) {
            return .tokens(tokens)
        }
        guard case .tokens(let tokens)? = record.outcome as? Renewal else { return .tokens(nil) }
        guard fits(tokens, renewal.support) else { return .unknown }
        return .tokens(SentTokens(key: renewal.key, tokens: tokens, target: target))
    }

    /// The old tokens after a failed renewal, if they can be sent.
    func tokens(
        afterFailed renewal: RunningRenewal, _ error: any Error, to target: TargetURL, _ context: ConversationContext
    ) throws -> SentTokens {
        SentTokens(key: renewal.key, tokens: try usable(renewal.stored, after: error, context), target: target)
    }

    /// The key of a step that renews tokens.
    func renewal(of key: OAuth2TokenKey) -> SendableKey {
        let known = lastRenewal.withLock { last in last.flatMap { $0.key == key ? $0.step : nil } }
        if let known { return known }
        let step = RenewalJob.StepKey(flow: identity, key: key).ofStep
        lastRenewal.withLock { $0 = (key, step) }
        return step
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
            let isUnfit = try await isUnfit(stored, support, target, context)
            if let stored, !isUnfit {
                var isSent = isCurrent(stored, at: clock.date)
                if !isSent, stored.refreshToken == nil {
                    isSent = await grantNeedsPerson(index, target, context)
                }
                if isSent { return SentTokens(key: key, tokens: stored, target: target) }
            }
            let usable = isUnfit ? nil : stored
            if let tokens = try await renewed(stored, usable, key, support, to: target, in: context) {
                return SentTokens(key: key, tokens: tokens, target: target)
            }
        }
        return nil
    }

    /// Whether the first tokens of a support need a person; true if that is not known now.
    private func grantNeedsPerson(_ support: Int, _ target: TargetURL, _ context: ConversationContext) async -> Bool {
        if let known = needsPerson[support] { return known }
        let challenge = OAuth2Challenge(target: target, response: nil, context: context)
        return (try? await supports[support].config(forChallenge: challenge).grant.needsPerson) ?? true
    }

    /// - Parameter usable: the tokens to send if they cannot be renewed now
    private func renewed(
        _ stored: OAuth2Tokens?, _ usable: OAuth2Tokens?, _ key: OAuth2TokenKey, _ support: any OAuth2ServerSupport,
        to target: TargetURL,
        in context: ConversationContext
    ) async throws -> OAuth2Tokens? {
        guard let stored else { return nil }
        var usable = usable
        while true {
            let isUrgent = !(usable.map(isSendable) ?? false)
            do {
                let tokens = try await renewAhead(key, support, stored, isUrgent: isUrgent, target, context)
                return tokens ?? (stored.refreshToken == nil ? usable : nil)
            } catch {
                do { return try self.usable(usable, after: error, context) } catch let error as OAuth2Error {
                    // The tokens have expired meanwhile: now the storage is waited for.
                    guard !isUrgent, error.code == .storageFailed else { throw error }
                    usable = nil
                }
            }
        }
    }

    /// The tokens, if they can be sent although their renewal has failed: expired ones only without a refresh token.
    private func usable(
        _ tokens: OAuth2Tokens?, after error: any Error, _ context: ConversationContext
    ) throws -> OAuth2Tokens {
        guard let failure = error as? OAuth2Error, failure.leavesOldTokens, let tokens, isSendable(tokens) else {
            throw error
        }
        context.logger.notice("tokens could not be renewed ahead of their end", metadata: ["code": "\(failure.code)"])
        return tokens
    }

    private func isSendable(_ tokens: OAuth2Tokens) -> Bool {
        tokens.refreshToken == nil || !tokens.isExpired(at: clock.date)
    }

    private func renewAhead(
        _ key: OAuth2TokenKey, _ support: any OAuth2ServerSupport, _ stored: OAuth2Tokens, isUrgent: Bool,
        _ target: TargetURL, _ context: ConversationContext
    ) async throws -> OAuth2Tokens? {
        let job = RenewalJob(
            flow: self, key: key, support: support,
            challenge: OAuth2Challenge(target: target, response: nil, context: context),
            refused: [stored.accessToken], mayRefresh: true, mayGrant: false, mayGrantAlone: true,
            hasUsableTokens: !isUrgent)
        switch try await context.perform(job.step) {
        case .tokens(let tokens): return tokens
        case .needsGrant: return nil
        }
    }
}
