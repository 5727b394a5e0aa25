import HttpC
import HttpCTerminal
import HttpConvPlatform
import HttpConvVaultStorage
import Synchronization

/// A profile's tokens for requests. It reports at once if another process is getting some, and keeps this process alive
/// until its leases are released.
final class ProfileTokens: OAuth2TokenStorage {
    private let vault: VaultTokenStorage
    private let profile: String
    private let diagnostics: Diagnostics

    init(_ vault: VaultTokenStorage, profile: String, _ diagnostics: Diagnostics) {
        self.vault = vault
        self.profile = profile
        self.diagnostics = diagnostics
    }

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { try await vault.tokens(for: key) }

    func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await vault.save(tokens, for: key, under: lease)
    }

    func removeAllTokens() async throws { try await vault.removeAllTokens() }

    func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        let isReported = Mutex(false)
        return try await ActiveLogins.shared.during {
            try await vault.withLease(for: key, duration: duration) {
                let isFirst = isReported.withLock { isReported in
                    defer { isReported = true }
                    return !isReported
                }
                if isFirst {
                    diagnostics.message(
                        "another process is logging in with the profile \"\(profile)\"; this one waits.")
                }
                return try await look()
            } _: {
                try await work($0)
            }
        }
    }
}
