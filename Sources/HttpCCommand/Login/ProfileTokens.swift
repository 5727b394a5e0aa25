import Foundation
import HttpC
import HttpConvVaultStorage
import Synchronization

/// A profile's tokens for requests. It reports at once if another process is getting some, and keeps this process alive
/// until its leases are released.
final class ProfileTokens: OAuth2TokenStorage {
    private let vault: VaultTokenStorage
    private let profile: String
    private let diagnostics: Diagnostics
    /// The keys of tokens whose wait was reported.
    private let waiting = Mutex<Set<OAuth2TokenKey>>([])

    init(_ vault: VaultTokenStorage, profile: String, _ diagnostics: Diagnostics) {
        self.vault = vault
        self.profile = profile
        self.diagnostics = diagnostics
    }

    func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? { try await vault.tokens(for: key) }

    func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async throws { try await vault.save(tokens, for: key) }

    func removeTokens(for key: OAuth2TokenKey) async throws { try await vault.removeTokens(for: key) }

    func removeAllTokens() async throws { try await vault.removeAllTokens() }

    func acquireLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2LeaseAnswer {
        let answer = try await vault.acquireLease(for: key, duration: duration)
        switch answer {
        case .busy:
            if waiting.withLock({ $0.insert(key).inserted }) {
                diagnostics.message("another process is logging in with the profile \"\(profile)\"; this one waits.")
            }
        case .granted:
            waiting.withLock { _ = $0.remove(key) }
            ActiveLogins.shared.begin()
        case .notNeeded: break
        }
        return answer
    }

    func extendLease(_ lease: OAuth2Lease) async throws { try await vault.extendLease(lease) }

    func releaseLease(_ lease: OAuth2Lease) async {
        await vault.releaseLease(lease)
        ActiveLogins.shared.finish()
    }

    func save(_ tokens: OAuth2Tokens, under lease: OAuth2Lease) async throws {
        try await vault.save(tokens, under: lease)
    }

    func removeTokens(under lease: OAuth2Lease) async throws { try await vault.removeTokens(under: lease) }
}
