import Foundation
import HttpConvAuthFlows
import HttpConvVault
import HttpConvVaultStorage
import HttpConversation
import TestSupport
import Testing

@testable import HttpConvLogon

/// The tokens of a person, from memory into the vault.
@Suite("Tokens of a logon", .timeLimit(.minutes(1))) struct PersonTokenStorageTests {
    private let renewed: OAuth2TokenKey
    private let removed: OAuth2TokenKey
    private let added: OAuth2TokenKey
    private let unchanged: OAuth2TokenKey

    init() throws {
        let keys = try (0..<4).map {
            OAuth2TokenKey(storageURL: try TargetURL("https://s\($0).example.com/"), supportName: "api")
        }
        (renewed, removed, added, unchanged) = (keys[0], keys[1], keys[2], keys[3])
    }

    private func vault(
        at directory: URL, _ fill: @escaping @Sendable (DataVault) async throws -> Void
    ) async throws -> PasscodeVault {
        var policy = PasswordPolicy()
        policy.allowsDefaultPassword = true
        return try await PasscodeVault.create(
            at: directory, passcode: nil, policy: policy, configuration: PasscodeVaultConfiguration(), fill: fill)
    }

    @Test func changesWhileAVaultIsMade() async throws {
        let directory = TemporaryPlace.unused("tokens")
        defer { try? FileManager.default.removeItem(at: directory) }
        let storage = PersonTokenStorage()
        for key in [renewed, removed, unchanged] { try await storage.save(OAuth2Tokens(accessToken: "old"), for: key) }
        let copied = storage.inMemory
        let vault = try await vault(at: directory) { try await PersonTokenStorage.write(copied, into: $0) }
        try await storage.save(OAuth2Tokens(accessToken: "new"), for: renewed)
        try await storage.removeTokens(for: removed)
        try await storage.save(OAuth2Tokens(accessToken: "added"), for: added)
        // Another process has opened the vault already.
        try await vault.withDataVault { [unchanged] in
            try await VaultTokenStorage($0).save(OAuth2Tokens(accessToken: "theirs"), for: unchanged)
        }
        try await storage.move(into: vault, copied: copied)
        #expect(storage.inMemory.isEmpty)
        let expected = [(renewed, "new"), (removed, nil), (added, "added"), (unchanged, "theirs")]
        for (key, token) in expected {
            #expect(try await storage.tokens(for: key)?.accessToken.value == token)
            let stored = try await vault.withDataVault { try await VaultTokenStorage($0).tokens(for: key) }
            #expect(stored?.accessToken.value == token)
        }
        try await storage.save(OAuth2Tokens(accessToken: "newest"), for: renewed)
        vault.lock()
        await #expect(throws: PasscodeVaultError.self) { try await storage.tokens(for: renewed) }
        try await vault.unlock(passcode: nil)
        #expect(try await storage.tokens(for: renewed)?.accessToken.value == "newest")
    }
}
