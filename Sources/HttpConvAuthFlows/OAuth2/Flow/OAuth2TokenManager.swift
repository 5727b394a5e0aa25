public import Foundation
public import HttpConversation

/// The stored tokens, independent of conversations: for a log-out button, say.
///
/// Take it from ``CommonAuthenticationConfigurator/tokenManager`` and keep it; it outlives the configurator and sees the
/// same server supports and storage as the managers that the configurator configured.
public final class OAuth2TokenManager: Sendable {
    let flow: OAuth2Flow

    init(_ flow: OAuth2Flow) { self.flow = flow }

    /// The tokens that requests to a URL would carry, of the first support that has any.
    public func tokens(for url: URL) async throws -> OAuth2Tokens? {
        for (_, key) in try entries(for: url) {
            if let tokens = try await flow.store.tokens(for: key) { return tokens }
        }
        return nil
    }

    /// Forgets the tokens for a URL, those of every support that claims it. The server does not learn of it.
    public func removeTokens(for url: URL) async throws {
        for (_, key) in try entries(for: url) { try await remove(key) }
    }

    /// Forgets all tokens of the storage.
    public func removeAllTokens() async throws {
        try await flow.store.removeAll()
        flow.changes.tell(OAuth2TokenChange(kind: .removed, key: nil))
    }

    /// Forgets the tokens for a URL and tells the server to forget them (RFC 7009), where it has an endpoint for that.
    ///
    /// - Parameter manager: lends its transport and time limits
    /// - Throws: what kept the server from hearing of it; the tokens here are gone in any case
    @discardableResult
    public func logOut(from url: URL, using manager: HttpConversationManager) async throws -> OAuth2LogOut {
        let target = try TargetURL(url)
        var failure: (any Error)?
        var result = OAuth2LogOut.nothingStored
        for (support, key) in try entries(for: url) {
            guard let tokens = try await flow.store.tokens(for: key) else { continue }
            try await remove(key)
            let requests = OAuth2Requests(manager)
            do {
                let configuration = try await support.config(
                    forChallenge: OAuth2Challenge(target: target, response: nil, requests: requests))
                try await TokenRevocation.revoke(tokens, for: configuration, by: requests)
                if configuration.revocationEndpoint == nil { result = .notRevocable }
                if result == .nothingStored { result = .revoked }
            } catch { failure = failure ?? error }
        }
        if let failure { throw failure }
        return result
    }

    /// What happens to the tokens from now on; each caller gets a sequence of its own.
    public var changes: some AsyncSequence<OAuth2TokenChange, Never> & Sendable { flow.changes.listen() }

    private func entries(for url: URL) throws -> [(support: any OAuth2ServerSupport, key: OAuth2TokenKey)] {
        let target = try TargetURL(url)
        return flow.supports.filter { $0.isSupportedEndpoint(target) }.map { ($0, $0.key(for: target)) }
    }

    private func remove(_ key: OAuth2TokenKey) async throws {
        try await flow.store.remove(key)
        flow.changes.tell(OAuth2TokenChange(kind: .removed, key: key))
    }
}
