import Foundation
import HttpConvAuthFlows
import HttpConvVaultStorage

/// Looks for the tokens of ten URLs, spread over all that are stored.
enum TokenLookUps {
    struct NotFound: Error {}

    static func run(_ mode: String, _ count: Int, entries: Int, place: URL) async throws {
        let keys = try (0..<10).map { try TokenStores.key($0 * (entries / 10)) }
        if mode == "memory" {
            let storage = InMemoryTokenStorage()
            try await TokenStores.fill(storage, entries: entries)
            return try await lookUp(keys, count) { storage }
        }
        let vault = try await TokenStores.vault(place)
        // One that has seen nothing yet, each time.
        if mode == "vault-cold" { return try await lookUp(keys, count) { VaultTokenStorage(vault) } }
        let storage = VaultTokenStorage(vault)
        try await lookUp(keys, count) { storage }
    }

    private static func lookUp(
        _ keys: [OAuth2TokenKey], _ count: Int, in storage: () -> any OAuth2TokenStorage
    ) async throws {
        for round in 0..<count {
            guard try await storage().tokens(for: keys[round % keys.count]) != nil else { throw NotFound() }
        }
    }
}
