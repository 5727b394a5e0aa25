import Foundation
import HttpConversation
import Logging

/// Gets tokens for one storage key: those that somebody else got meanwhile, else by refresh, else by the grant.
struct RenewalJob: Sendable {
    let flow: OAuth2Flow
    let key: OAuth2TokenKey
    let support: any OAuth2ServerSupport
    let context: ConversationContext
    let challenge: OAuth2Challenge
    /// Access tokens that will not do.
    let refused: Set<Redacted<String>>
    var mayRefresh: Bool
    let mayGrant: Bool

    private var shelf: TokenShelf { flow.shelf }

    func run() async throws -> Renewal {
        let keeper = LeaseKeeper(
            storage: shelf.storage, clock: flow.settings.leaseClock, duration: flow.settings.leaseDuration)
        return try await keeper.hold(key) {
            try await usable().map { .tokens($0) }
        } _: { lease in
            do { return try await renew(under: lease) } catch let error as OAuth2Error where error.code == .leaseLost {
                // Somebody else was quicker: what they got is newer than what this process holds.
                guard let tokens = try await usable() else { throw error }
                return .tokens(tokens)
            }
        }
    }

    private func usable() async throws -> OAuth2Tokens? {
        try await shelf.tokens(for: key).flatMap { refused.contains($0.accessToken) || isOld($0) ? nil : $0 }
    }

    private func isOld(_ tokens: OAuth2Tokens) -> Bool {
        tokens.needsRenewal(at: flow.settings.now(), skew: flow.settings.refreshAhead)
            && (tokens.refreshToken != nil || tokens.isExpired(at: flow.settings.now()))
    }

    private func renew(under lease: OAuth2Lease?) async throws -> Renewal {
        if let tokens = try await usable() { return .tokens(tokens) }
        try flow.brake.check(key, at: flow.settings.now())
        let stored = try await shelf.tokens(for: key)
        do {
            let configuration = try await support.config(forChallenge: challenge)
            if mayRefresh, let stored, let token = stored.refreshToken,
                let tokens = try await refresh(token, stored, configuration, lease)
            {
                return .tokens(tokens)
            }
            guard mayGrant else { return .needsGrant }
            return .tokens(try await grant(configuration, lease))
        } catch let error as OAuth2Error {
            flow.brake.note(error, key, at: flow.settings.now())
            throw error
        }
    }

    // MARK: Refresh

    /// New tokens by the refresh token, or another's; nil where only the grant is left.
    ///
    /// - Throws: where the network or the server failed: nobody is asked to log in because of that
    private func refresh(
        _ token: Redacted<String>, _ stored: OAuth2Tokens, _ configuration: OAuth2Configuration, _ lease: OAuth2Lease?
    ) async throws -> OAuth2Tokens? {
        try Task.checkCancellation()
        // Once sent it is not called off: the server may have replaced the refresh token already.
        return try await flow.refreshes.run(key) {
            try await exchange(token, stored, configuration, lease)
        }
    }

    private func exchange(
        _ token: Redacted<String>, _ stored: OAuth2Tokens, _ configuration: OAuth2Configuration, _ lease: OAuth2Lease?
    ) async throws -> OAuth2Tokens? {
        let response: TokenResponse
        do {
            response = try await TokenRequest.send(
                TokenRequest.refresh(token), for: configuration, by: OAuth2Requests(context))
        } catch let error as OAuth2Error {
            guard Self.endsRefresh(error) else { throw error }
            context.logger.info("a refresh token was refused", metadata: ["error": "\(error.serverError ?? "")"])
            return try await afterRefusal(error, of: stored, lease)
        }
        let tokens = response.tokens(at: flow.settings.now(), source: .refresh, keeping: stored)
        try await save(tokens, .refreshed, lease)
        return tokens
    }

    /// Whether the server's answer means that this refresh token leads nowhere. A refused client does not: it would
    /// be refused after a login, too.
    private static func endsRefresh(_ error: OAuth2Error) -> Bool {
        if error.code == .invalidGrant { return true }
        guard error.code == .refused else { return false }
        return ["unauthorized_client", "unsupported_grant_type", "invalid_scope"].contains(error.serverError)
    }

    /// Before anything is deleted, the storage is read again: another process may have rotated the token meanwhile.
    private func afterRefusal(
        _ error: OAuth2Error, of stored: OAuth2Tokens, _ lease: OAuth2Lease?
    ) async throws -> OAuth2Tokens? {
        if let now = try await shelf.tokens(for: key), now.refreshToken != stored.refreshToken {
            if !refused.contains(now.accessToken) { return now }
        } else if error.code == .invalidGrant {
            try await shelf.remove(key, under: lease)
            flow.changes.tell(.removed, key)
        }
        return nil
    }

    // MARK: Grant

    private func grant(_ configuration: OAuth2Configuration, _ lease: OAuth2Lease?) async throws -> OAuth2Tokens {
        let runner = GrantRunner(configuration: configuration, key: key, context: context, flow: flow)
        let tokens = try await runner.obtain().tokens(at: flow.settings.now(), source: .grant)
        try await save(tokens, .granted, lease)
        return tokens
    }

    private func save(
        _ tokens: OAuth2Tokens, _ kind: OAuth2TokenChange.Kind, _ lease: OAuth2Lease?
    ) async throws {
        // The server has issued them: they are stored even where nobody waits for them any more.
        let isSafe = try await Task { [shelf, key] in try await shelf.save(tokens, for: key, under: lease) }.value
        if !isSafe {
            context.logger.error(
                "new tokens could not be stored: they are kept in memory until the storage works again",
                metadata: ["key": "\(key)"])
        }
        flow.changes.tell(kind, key)
    }
}
