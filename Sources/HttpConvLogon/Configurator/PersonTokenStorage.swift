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

    /// Keeps the tokens in a vault from now on, and drops those in memory. ``move(into:copied:)`` keeps them.
    func use(_ vault: PasscodeVault) { state.withLock { $0 = State(place: .vault(vault)) } }

    /// Drops the cache when the vault is locked. The tokens stay in the vault.
    func forget() { state.withLock { $0.storage = nil } }

    /// Forgets the tokens in memory, and the vault.
    func clear() { state.withLock { $0 = State() } }

    // MARK: From memory into a vault

    /// The tokens in memory.
    var inMemory: [OAuth2TokenKey: OAuth2Tokens] {
        if case .memory(let tokens) = place { tokens } else { [:] }
    }

    /// Writes tokens into a vault that is being made.
    static func write(_ tokens: [OAuth2TokenKey: OAuth2Tokens], into vault: DataVault) async throws {
        let storage = VaultTokenStorage(vault)
        for (key, value) in tokens { try await storage.save(value, for: key) }
    }

    /// Keeps the tokens in a vault from now on. Changes in memory since the copy was made are written into the vault
    /// first, so that no renewal is lost.
    ///
    /// - Parameter copied: ``inMemory`` as it was written into the vault. Tokens that are unchanged since then are left
    ///   alone in the vault, where another process may have renewed them
    func move(into vault: PasscodeVault, copied: [OAuth2TokenKey: OAuth2Tokens]) async throws {
        var copied = copied
        while let tokens = tokensOrUse(vault, ifUnchangedSince: copied) {
            for key in Set(tokens.keys).union(copied.keys) where tokens[key] != copied[key] {
                try await use(vault) { try await $0.save(tokens[key], for: key, under: nil) }
            }
            copied = tokens
        }
    }

    /// The tokens in memory if they were changed. Otherwise nil, and the vault is used from now on.
    private func tokensOrUse(
        _ vault: PasscodeVault, ifUnchangedSince copied: [OAuth2TokenKey: OAuth2Tokens]
    ) -> [OAuth2TokenKey: OAuth2Tokens]? {
        state.withLock { state in
            if case .memory(let tokens) = state.place, tokens != copied { return tokens }
            state.place = .vault(vault)
            return nil
        }
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

    /// Changes the tokens in memory.
    ///
    /// - Returns: the vault, if the tokens are there and the change has to be made there
    func changeMemory(_ change: (inout [OAuth2TokenKey: OAuth2Tokens]) -> Void) -> PasscodeVault? {
        state.withLock { state in
            guard case .memory(var tokens) = state.place else { return state.place.vault }
            change(&tokens)
            state.place = .memory(tokens)
            return nil
        }
    }
}
