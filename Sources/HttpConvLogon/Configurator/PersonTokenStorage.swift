import HttpConvAuthFlows
import HttpConvConcurrency
import HttpConvVault
import HttpConvVaultStorage
import Synchronization

/// The OAuth2 tokens of a logon: in memory until there is a vault, then in the vault, and only while it is open.
final class PersonTokenStorage: OAuth2TokenStorage {
    private enum Place {
        case memory([OAuth2TokenKey: OAuth2Tokens])
        case vault(PasscodeVault)

        var vault: PasscodeVault? { if case .vault(let vault) = self { vault } else { nil } }
    }

    private struct State {
        var place = Place.memory([:])
        /// The storage in the vault as it is open now, with its cache.
        var storage: VaultTokenStorage?
    }

    private let state = Mutex(State())

    private var place: Place { state.withLock { $0.place } }

    /// Keeps the tokens in a vault from now on. Copy the tokens in memory there first: ``copy(into:)``.
    func use(_ vault: PasscodeVault) { state.withLock { $0 = State(place: .vault(vault)) } }

    /// Drops the cache when the vault is locked. The tokens stay in the vault.
    func forget() { state.withLock { $0.storage = nil } }

    /// Forgets the tokens in memory, and the vault.
    func clear() { state.withLock { $0 = State() } }

    /// Writes the tokens in memory into a vault.
    func copy(into vault: PasscodeVault) async throws {
        guard case .memory(let tokens) = place else { return }
        for (key, value) in tokens { try await use(vault) { try await $0.save(value, for: key) } }
    }

    /// Runs a closure on the vault's storage, and rethrows its error.
    private func use<Result: Sendable>(
        _ vault: PasscodeVault, _ body: (VaultTokenStorage) async throws -> Result
    ) async throws -> Result {
        let result: Swift.Result<Result, any Error> = try await vault.withDataVault { vault in
            let storage = state.withLock { state in
                if let storage = state.storage, storage.vault === vault { return storage }
                let storage = VaultTokenStorage(vault)
                state.storage = storage
                return storage
            }
            do { return .success(try await body(storage)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    // MARK: OAuth2TokenStorage

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        switch place {
        case .memory(let tokens): tokens[key]
        case .vault(let vault): try await use(vault) { try await $0.tokens(for: key) }
        }
    }

    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        guard let vault = changeMemory({ $0[key] = tokens }) else { return }
        try await use(vault) { try await $0.save(tokens, for: key, under: lease) }
    }

    func removeAllTokens() async throws {
        guard let vault = changeMemory({ $0 = [:] }) else { return }
        try await use(vault) { try await $0.removeAllTokens() }
    }

    /// For processes that share the vault. A renewal in progress counts as use of the vault.
    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        guard let vault = place.vault else { return try await work(nil) }
        return try await LeasedWork.keep {
            try await Task.sleep(for: duration / 3)
            try await vault.withDataVault { _ in }
        } _: {
            try await use(vault) { try await $0.withLease(for: key, duration: duration, until: look, work) }
        }
    }

    /// - Returns: the vault, if the tokens are there and the change has to be made there
    private func changeMemory(_ change: (inout [OAuth2TokenKey: OAuth2Tokens]) -> Void) -> PasscodeVault? {
        state.withLock { state in
            guard case .memory(var tokens) = state.place else { return state.place.vault }
            change(&tokens)
            state.place = .memory(tokens)
            return nil
        }
    }
}
