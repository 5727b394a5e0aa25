/// Keeps tokens.
///
/// Use ``InMemoryTokenStorage`` where tokens need not outlive the process. Write one of your own to keep them in a
/// keychain or database; the four plain methods are enough where only one process uses it at a time. A storage that
/// processes share implements the leases, too: then one of them refreshes and the others use what it got.
///
/// `save` replaces what is stored under the key in one step: at no moment is there neither the old nor the new pair.
public protocol OAuth2TokenStorage: Sendable {
    /// The tokens under a key, if any. Called before every request: make it quick.
    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens?
    /// Stores tokens in place of those that were there; returns once they are safe.
    func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async throws
    /// Forgets the tokens under a key.
    func removeTokens(for key: OAuth2TokenKey) async throws
    /// Forgets all tokens.
    func removeAllTokens() async throws

    /// Asks for the sole right to renew the tokens under a key; returns at once.
    func acquireLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2LeaseAnswer
    /// Makes a lease last for its duration from now. Throws ``OAuth2Error/Code/leaseLost`` where it was given back, or
    /// ended and somebody else took it. Never runs beside the release of the same lease.
    func extendLease(_ lease: OAuth2Lease) async throws
    /// Gives a lease back; one that was lost meanwhile is none of this call's business.
    func releaseLease(_ lease: OAuth2Lease) async
    /// As `save(_:for:)`, but throws ``OAuth2Error/Code/leaseLost`` where somebody else has taken the lease since.
    func save(_ tokens: OAuth2Tokens, under lease: OAuth2Lease) async throws
    /// As `removeTokens(for:)`, under the same condition.
    func removeTokens(under lease: OAuth2Lease) async throws
}

/// A storage that is not shared between processes needs none of these.
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
