public import HttpConversation

/// The stored tokens, independent of conversations, such as for a log-out button.
///
/// Take it from ``CommonAuthenticationConfigurator/tokenManager`` at any time and keep it; it outlives the
/// configurator. It always uses the configurator's latest server supports, storage and settings.
public final class OAuth2TokenManager: Sendable {
    private let current: CurrentOAuth2Flow

    init(_ current: CurrentOAuth2Flow) { self.current = current }

    /// The present flow; each function reads it once.
    var flow: OAuth2Flow { current.flow }

    /// The tokens that requests to a URL would carry, from the first support that has any. Makes no request: an
    /// ``AsyncOAuth2ServerSupport`` is asked by its synchronous method only.
    ///
    /// - Throws: a `ConversationError` for an invalid URL; the error of the storage
    public func tokens(for url: some TargetURLConvertible) async throws -> OAuth2Tokens? {
        let flow = flow
        for (_, key) in try entries(for: url, flow) {
            if let tokens = try await flow.store.tokens(for: key) { return tokens }
        }
        return nil
    }

    /// Removes the tokens for a URL, of all supports that claim it, without telling the server.
    ///
    /// - Throws: a `ConversationError` for an invalid URL; the error of the storage
    public func removeTokens(for url: some TargetURLConvertible) async throws {
        let flow = flow
        for (_, key) in try entries(for: url, flow) { try await remove(key, flow) }
    }

    /// Removes all tokens from the storage.
    ///
    /// - Throws: the error of the storage
    public func removeAllTokens() async throws {
        let flow = flow
        try await flow.store.removeAll()
        flow.changes.tell(OAuth2TokenChange(kind: .removed, key: nil))
    }

    /// Removes the tokens for a URL, revokes them at the server (RFC 7009), and ends the person's session there (OpenID
    /// Connect RP-Initiated Logout), as far as the server has endpoints for that. A browser's own cookies stay in the
    /// browser.
    ///
    /// - Parameters:
    ///   - url: a URL that a support claims
    ///   - manager: provides transport and time limits
    /// - Throws: the first error of the server, or of a storage whose tokens cannot be read; the tokens here are
    ///   removed in any case
    @discardableResult
    public func logOut(from url: some TargetURLConvertible, using manager: HttpConversationManager) async throws
        -> OAuth2LogOut
    {
        let target = try url.targetURL()
        let flow = flow
        var failure: (any Error)?
        var result = OAuth2LogOut.nothingStored
        for (support, key) in try entries(for: url, flow) {
            let stored: OAuth2Tokens?
            do { stored = try await flow.store.tokens(for: key) } catch {
                guard (error as? OAuth2Error)?.code == .storageFailed else { throw error }
                // Tokens that cannot be read cannot be revoked, but they can be removed.
                try await remove(key, flow)
                failure = failure ?? error
                continue
            }
            guard let tokens = stored else { continue }
            try await remove(key, flow)
            let context = manager.detachedContext(for: target)
            do {
                let configuration = try await support.config(
                    forChallenge: OAuth2Challenge(target: target, response: nil, context: context))
                let client = OAuth2Client(configuration: configuration, requests: OAuth2Requests(context))
                do { try await client.revoke(tokens) } catch { failure = failure ?? error }
                let hasEnded = try await client.endSession(tokens)
                if configuration.revocationEndpoint == nil { result = .notRevocable }
                if result == .nothingStored { result = hasEnded ? .sessionEnded : .revoked }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return result
    }

    /// The changes of tokens from now on; each caller gets a separate sequence.
    public var changes: some AsyncSequence<OAuth2TokenChange, Never> & Sendable { flow.changes.listen() }

    private func entries(
        for url: some TargetURLConvertible, _ flow: OAuth2Flow
    ) throws -> [(support: any OAuth2ServerSupport, key: OAuth2TokenKey)] {
        let target = try url.targetURL()
        return flow.supports.filter { $0.isSupportedEndpoint(target) }.map { ($0, $0.key(for: target)) }
    }

    private func remove(_ key: OAuth2TokenKey, _ flow: OAuth2Flow) async throws {
        try await flow.store.remove(key)
        flow.changes.tell(OAuth2TokenChange(kind: .removed, key: key))
    }
}

/// The result of a log-out. In each case no tokens for the URL are left here.
public enum OAuth2LogOut: Hashable, Sendable {
    /// No tokens were stored.
    case nothingStored
    /// The server has revoked them, too.
    case revoked
    /// The server has revoked them, and ended the person's session.
    case sessionEnded
    /// A server has no revocation endpoint: a copy of the tokens works until it expires.
    case notRevocable
}
