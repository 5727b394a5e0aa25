/// Stores tokens.
///
/// Use ``InMemoryTokenStorage`` if tokens need not outlive the process. Write your own to keep them in a keychain or
/// database; the four plain methods suffice if only one process uses it at a time. A storage that processes share also
/// implements the leases: then one of them refreshes and the others use its tokens.
///
/// `save` replaces the tokens under the key atomically: at any moment either the old or the new pair is stored.
public protocol OAuth2TokenStorage: Sendable {
    /// The tokens under a key, if any. Called before every request: make it fast.
    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens?
    /// Stores tokens, replacing the present ones; returns once they are safe.
    func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async throws
    /// Removes the tokens under a key.
    func removeTokens(for key: OAuth2TokenKey) async throws
    /// Removes all tokens.
    func removeAllTokens() async throws

    /// Requests the exclusive right to renew the tokens under a key; returns at once.
    func acquireLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2LeaseAnswer
    /// Extends a lease to its duration from now. Throws ``OAuth2Error/Code/leaseLost`` if it was released, or expired
    /// and was taken by another holder. Never runs concurrently with the release of the same lease.
    func extendLease(_ lease: OAuth2Lease) async throws
    /// Releases a lease; does nothing if it was lost meanwhile.
    func releaseLease(_ lease: OAuth2Lease) async
    /// Like `save(_:for:)`, but throws ``OAuth2Error/Code/leaseLost`` if another holder has taken the lease since.
    func save(_ tokens: OAuth2Tokens, under lease: OAuth2Lease) async throws
    /// Like `removeTokens(for:)`, under the same condition.
    func removeTokens(under lease: OAuth2Lease) async throws
}

/// Defaults for storages that are not shared between processes.
extension OAuth2TokenStorage {
    public func acquireLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2LeaseAnswer {
        .notNeeded
    }
    public func extendLease(_ lease: OAuth2Lease) async throws {}
    public func releaseLease(_ lease: OAuth2Lease) async {}
    public func save(_ tokens: OAuth2Tokens, under lease: OAuth2Lease) async throws {
        try await save(tokens, for: lease.key)
    }
    public func removeTokens(under lease: OAuth2Lease) async throws { try await removeTokens(for: lease.key) }
}
