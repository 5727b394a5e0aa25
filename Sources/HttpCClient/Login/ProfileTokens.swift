import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVault
import HttpConvVaultStorage
import Synchronization

/// A profile's tokens for requests. It reports at once if another process is getting tokens, and keeps this process
/// alive until its leases are released.
///
/// The vault is created when the first tokens are needed. If the vault or a lease in it cannot be made, this process
/// gets tokens of its own and keeps them in memory: without a lease it must not use the shared refresh token.
final class ProfileTokens: OAuth2TokenStorage {
    private let state: ProfileState
    private let diagnostics: Diagnostics
    private let opened: Mutex<(any OAuth2TokenStorage)?>
    /// The tokens of this process, once a lease could not be made.
    private let alone = Mutex<InMemoryTokenStorage?>(nil)
    /// Whether the purpose of the run is to change the stored tokens.
    private let isForStorage: Bool

    /// - Parameter storage: the open storage, which the run cannot do without; nil: that of the state is opened when it
    ///   is needed
    init(_ state: ProfileState, in storage: VaultTokenStorage? = nil, _ diagnostics: Diagnostics) {
        self.state = state
        self.diagnostics = diagnostics
        opened = Mutex(storage)
        isForStorage = storage != nil
    }

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        if let own = alone.withLock({ $0 }) { return await own.tokens(for: key) }
        return try await existing()?.tokens(for: key)
    }

    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        // Work for the tokens of this process has no lease. The shared ones stay as they are.
        if lease == nil, let own = alone.withLock({ $0 }) {
            return try await own.save(tokens, for: key, under: nil)
        }
        do {
            guard tokens != nil else { return try await existing()?.save(nil, for: key, under: lease) ?? () }
            try await storage().save(tokens, for: key, under: lease)
        } catch {
            // New tokens that are not written stay in memory until there is room. A person's logout must not seem done.
            guard warns(of: error), tokens == nil, lease != nil else { throw error }
        }
    }

    func removeAllTokens() async throws {
        await alone.withLock({ $0 })?.removeAllTokens()
        try await existing()?.removeAllTokens()
    }

    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        let isReported = Mutex(false)
        let hasBegun = Mutex(false)
        if let own = alone.withLock({ $0 }) { return try await run(own, key, duration, look, work) }
        let storage = try await storage()
        return try await ActiveLogins.shared.during {
            do {
                return try await storage.withLease(for: key, duration: duration) {
                    let isFirst = isReported.withLock { isReported in
                        defer { isReported = true }
                        return !isReported
                    }
                    if isFirst {
                        diagnostics.message(
                            "another process is logging in with the profile \"\(state.profile)\"; this one waits.")
                    }
                    return try await look()
                } _: { lease in
                    hasBegun.withLock { $0 = true }
                    return try await work(lease)
                }
            } catch {
                guard !hasBegun.withLock({ $0 }), warns(of: error) else { throw error }
            }
            let own = alone.withLock { alone in
                let own = alone ?? InMemoryTokenStorage()
                alone = own
                return own
            }
            return try await run(own, key, duration, look, work)
        }
    }

    /// Runs work for the tokens of this process. It gets no lease, so that each lease that is given back is the vault's.
    private func run<Outcome: Sendable>(
        _ own: InMemoryTokenStorage, _ key: OAuth2TokenKey, _ duration: Duration,
        _ look: @Sendable () async throws -> Outcome?, _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        try await own.withLease(for: key, duration: duration, until: look) { _ in try await work(nil) }
    }

    /// Warns if an error says that there is no place for tokens, unless the run is for nothing else.
    ///
    /// - Returns: whether it does
    private func warns(of error: any Error) -> Bool {
        guard !isForStorage, let cause = (error as? OAuth2Error)?.underlyingError as? DataVaultError, cause.isNoPlace
        else { return false }
        state.warn(of: cause, diagnostics)
        return true
    }

    /// The storage if there is one.
    private func existing() async throws(CommandFailure) -> (any OAuth2TokenStorage)? {
        if let storage = opened.withLock({ $0 }) { return storage }
        return try await state.readableVault(diagnostics).map { keep(VaultTokenStorage($0)) }
    }

    private func storage() async throws(CommandFailure) -> any OAuth2TokenStorage {
        if let storage = opened.withLock({ $0 }) { return storage }
        guard let vault = try await state.usableVault(diagnostics) else { return keep(InMemoryTokenStorage()) }
        return keep(VaultTokenStorage(vault))
    }

    /// Keeps the first of two storages that were opened at the same time.
    private func keep(_ storage: any OAuth2TokenStorage) -> any OAuth2TokenStorage {
        opened.withLock { opened in
            defer { opened = opened ?? storage }
            return opened ?? storage
        }
    }
}
