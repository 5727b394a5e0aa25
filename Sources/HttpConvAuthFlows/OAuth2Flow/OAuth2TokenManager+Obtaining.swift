public import HttpConversation

/// Obtains tokens ahead of any request.
extension OAuth2TokenManager {
    /// Logs in now: obtains new tokens by the grant, even if there are stored ones, and stores them. They also replace
    /// stored tokens that cannot be read.
    ///
    /// - Parameters:
    ///   - url: a URL that a support claims
    ///   - manager: provides transport, time limits and observers
    /// - Throws: `OAuth2Error`, or `CancellationError` if the task is cancelled
    public func logIn(to url: some TargetURLConvertible, using manager: HttpConversationManager) async throws
        -> OAuth2Tokens
    {
        let flow = flow
        let (support, key, target) = try await entry(for: url, manager, flow)
        var stored: OAuth2Tokens?
        do { stored = try await flow.store.tokens(for: key, in: manager.detachedContext(for: target)) } catch {
            // The new tokens replace what cannot be read. If the storage is away, it has no lease either.
            guard (error as? OAuth2Error)?.code == .storageFailed else { throw error }
        }
        let renewal = try await renew(support, key, target, stored, manager, flow, isLogin: true, mayGrant: true)
        guard case .tokens(let tokens) = renewal else {
            throw OAuth2Error(.loginFailed, "The login for \(key) brought no tokens.")
        }
        flow.refusals.forget(key)
        return tokens
    }

    /// Valid tokens: the stored ones, else new ones by the refresh token.
    ///
    /// - Parameters:
    ///   - url: a URL that a support claims
    ///   - manager: provides transport, time limits and observers
    ///   - loggingIn: whether to use the grant as a last resort; it may ask a person
    /// - Returns: nil if only a login would help
    /// - Throws: `OAuth2Error`, or `CancellationError` if the task is cancelled
    public func validTokens(
        for url: some TargetURLConvertible, using manager: HttpConversationManager, loggingIn: Bool = false
    ) async throws -> OAuth2Tokens? {
        let flow = flow
        let (support, key, target) = try await entry(for: url, manager, flow)
        let now = flow.settings.clock.date
        let stored = try await flow.store.tokens(for: key, in: manager.detachedContext(for: target))
        let isUnfit = try await flow.isUnfit(stored, support, target, manager.detachedContext(for: target))
        let fitting = isUnfit ? nil : stored
        if let fitting, flow.isCurrent(fitting, at: now) { return fitting }
        let usable = fitting.flatMap { $0.isExpired(at: now) ? nil : $0 }
        do {
            let renewal = try await renew(
                support, key, target, stored, manager, flow, isLogin: false, mayGrant: loggingIn,
                hasUsableTokens: usable != nil)
            if case .tokens(let tokens) = renewal { return tokens }
            return nil
        } catch let error as OAuth2Error where error.leavesOldTokens {
            guard let usable else { throw error }
            return usable
        }
    }

    private func entry(
        for url: some TargetURLConvertible, _ manager: HttpConversationManager, _ flow: OAuth2Flow
    ) async throws -> (support: any OAuth2ServerSupport, key: OAuth2TokenKey, target: TargetURL) {
        let target = try url.targetURL()
        let context = manager.detachedContext(for: target)
        for support in flow.supports where try await support.claims(target, in: context) {
            return (support, support.key(for: target), target)
        }
        throw OAuth2Error(.invalidConfiguration, "No server support claims \(target).")
    }

    /// Obtains tokens; again if the run was another caller's, which was not allowed to log in.
    private func renew(
        _ support: any OAuth2ServerSupport, _ key: OAuth2TokenKey, _ target: TargetURL, _ stored: OAuth2Tokens?,
        _ manager: HttpConversationManager, _ flow: OAuth2Flow, isLogin: Bool, mayGrant: Bool,
        hasUsableTokens: Bool = false
    ) async throws -> Renewal {
        let context = manager.detachedContext(for: target)
        let job = RenewalJob(
            flow: flow, key: key, support: support,
            challenge: OAuth2Challenge(target: target, response: nil, context: context),
            refused: Set(stored.map { [$0.accessToken] } ?? []), mayRefresh: !isLogin, mayGrant: mayGrant,
            isLogin: isLogin, hasUsableTokens: hasUsableTokens)
        for _ in 0..<3 {
            switch try await context.perform(job.step) {
            case .tokens(let tokens) where !isLogin || tokens.source == .grant: return .tokens(tokens)
            case .needsGrant where !mayGrant: return .needsGrant
            case .tokens, .needsGrant: break
            }
        }
        return .needsGrant
    }
}
