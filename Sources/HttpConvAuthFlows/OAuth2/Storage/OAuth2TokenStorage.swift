/// Stores tokens.
///
/// Use ``InMemoryTokenStorage`` if tokens need not outlive the process. Write your own to keep them in a keychain or
/// database; the first three methods suffice if only one process uses it at a time. A storage that processes share also
/// implements ``withLease(for:duration:until:_:)``: then one process refreshes, and the others use its tokens.
public protocol OAuth2TokenStorage: Sendable {
    /// The tokens under a key, if any. Called before every request: make it fast.
    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens?
    /// Replaces the tokens under a key atomically; returns once that is safe.
    ///
    /// - Parameters:
    ///   - tokens: nil removes the present tokens. Without `lease` that is a logout, and a lease on the key ends, too:
    ///     its holder may be renewing the tokens, and must not store the new ones
    ///   - key: the key of the tokens
    ///   - lease: the lease of ``withLease(for:duration:until:_:)``, if the storage has leases: then throws
    ///     ``OAuth2Error/Code/leaseLost`` if another holder has taken the lease since, or a removal has ended it
    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws
    /// Removes all tokens, and ends the leases on their keys.
    func removeAllTokens() async throws
    /// Runs work with the exclusive right to renew the tokens under a key. By default there are no leases.
    ///
    /// A storage with leases waits for the present holder, extends the lease while the work runs, and releases it at
    /// the end, even if the task is cancelled.
    ///
    /// - Parameters:
    ///   - key: the key of the tokens
    ///   - duration: the time after which others may take the lease of a holder that is suspended
    ///   - look: called while another holder has the lease, at once and before each further request; a result ends the
    ///     wait
    ///   - work: gets the lease; nil: this storage has none
    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome
}

/// A storage that often has tokens in memory.
package protocol QuickTokenStorage: OAuth2TokenStorage, AnyObject {
    /// The tokens under a key, if that needs no wait; nil: `tokens(for:)` knows.
    func tokensInMemory(for key: OAuth2TokenKey) -> OAuth2Tokens?
}

/// A storage that may be out of reach for a while.
package protocol RemoteTokenStorage: OAuth2TokenStorage {
    /// As `withLease(for:duration:until:_:)`.
    ///
    /// - Parameter isUrgent: whether to wait for a storage that is out of reach
    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, isUrgent: Bool, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome
}

extension OAuth2TokenStorage {
    /// As `withLease(for:duration:until:_:)`. Storages that are never out of reach need not know whether it is urgent.
    func lease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, isUrgent: Bool, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        if let remote = self as? any RemoteTokenStorage {
            return try await remote.withLease(for: key, duration: duration, isUrgent: isUrgent, until: look, work)
        }
        return try await withLease(for: key, duration: duration, until: look, work)
    }

    public func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        try await work(nil)
    }

    /// Replaces the tokens under a key, without a lease.
    public func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async throws {
        try await save(tokens, for: key, under: nil)
    }

    /// Removes the tokens under a key, without a lease.
    public func removeTokens(for key: OAuth2TokenKey) async throws { try await save(nil, for: key, under: nil) }
}
