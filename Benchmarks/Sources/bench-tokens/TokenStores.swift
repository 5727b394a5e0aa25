import Foundation
import HttpConvAuthFlows
import HttpConvVault
import HttpConvVaultStorage
import HttpConversation

/// Storages with tokens in them.
enum TokenStores {
    /// The server support that the tokens are stored under.
    static let support = "bench"

    static func vault(_ place: URL) async throws -> DataVault {
        try await DataVault.openOrCreate(at: place, key: .bytes([UInt8](repeating: 7, count: 32)))
    }

    static func key(_ number: Int) throws -> OAuth2TokenKey {
        OAuth2TokenKey(storageURL: try TargetURL("https://s\(number).example.com/"), supportName: support)
    }

    /// Opaque ones of 256 bits.
    static func tokens() -> OAuth2Tokens {
        OAuth2Tokens(
            accessToken: String(repeating: "a", count: 43), refreshToken: String(repeating: "r", count: 43),
            scopes: ["read", "write"], expiresAt: Date(timeIntervalSinceNow: 86_400))
    }

    static func fill(_ storage: some OAuth2TokenStorage, entries: Int) async throws {
        for number in 0..<entries { try await storage.save(tokens(), for: key(number)) }
    }

    static func fill(_ place: URL, entries: Int) async throws {
        try await fill(VaultTokenStorage(vault(place)), entries: entries)
    }
}
