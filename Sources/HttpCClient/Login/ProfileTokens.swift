import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVaultStorage
import Synchronization

/// A profile's tokens for requests. It reports at once if another process is getting some, and keeps this process alive
/// until its leases are released.
///
/// The vault is created when the first tokens are needed. Without a place for it, tokens stay in memory.
final class ProfileTokens: OAuth2TokenStorage {
    private let state: ProfileState
    private let diagnostics: Diagnostics
    private let opened: Mutex<(any OAuth2TokenStorage)?>

    /// - Parameter storage: the open storage; nil: that of the state is opened when it is needed
    init(_ state: ProfileState, in storage: VaultTokenStorage? = nil, _ diagnostics: Diagnostics) {
        self.state = state
        self.diagnostics = diagnostics
        opened = Mutex(storage)
    }

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { try await existing()?.tokens(for: key) }

    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        guard tokens != nil else { return try await existing()?.save(nil, for: key, under: lease) ?? () }
        try await storage().save(tokens, for: key, under: lease)
    }

    func removeAllTokens() async throws { try await existing()?.removeAllTokens() }

    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        let isReported = Mutex(false)
        let storage = try await storage()
        return try await ActiveLogins.shared.during {
            try await storage.withLease(for: key, duration: duration) {
                let isFirst = isReported.withLock { isReported in
                    defer { isReported = true }
                    return !isReported
                }
                if isFirst {
                    diagnostics.message(
                        "another process is logging in with the profile \"\(state.profile)\"; this one waits.")
                }
                return try await look()
            } _: {
                try await work($0)
            }
        }
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
