import Foundation
import HttpConvAuthFlows
import HttpConversation

#if PostgreSQL
import HttpConvPostgresStorage
#endif

/// The work of one process that looks tokens up.
package struct LookUpCount: Codable, Sendable {
    package let lookUps: Int
    package let renewals: Int
    /// The operations that the database answered; 0 for a vault.
    package let statements: Int
    package let seconds: Double

    /// - Parameter begin: called once everything is known
    static func count(
        _ client: VaultClient, keys: Int, times: Int, renewals: Int, begin: () async throws -> Void
    ) async throws -> Outcome {
        let storage = try await client.storage()
        let keys = try (0..<keys).map { number in
            OAuth2TokenKey(storageURL: try TargetURL("https://s\(number).example.com/"), supportName: "api")
        }
        // Everything is known once before the count.
        for key in keys where try await storage.tokens(for: key) == nil {
            try await renew(key, in: storage)
        }
        for key in keys { _ = try await storage.tokens(for: key) }
        try await begin()
        let (before, start) = (statements(of: storage), ContinuousClock.now)
        for number in 0..<times {
            guard let key = keys.randomElement(), try await storage.tokens(for: key) != nil else { return .failed }
            if renewals > 0, number % max(1, times / renewals) == 0 { try await renew(key, in: storage) }
        }
        let count = LookUpCount(
            lookUps: times, renewals: renewals, statements: statements(of: storage) - before,
            seconds: (ContinuousClock.now - start) / .seconds(1))
        FileHandle.standardOutput.write(try JSONEncoder().encode(count))
        return .succeeded
    }

    private static func renew(_ key: OAuth2TokenKey, in storage: any OAuth2TokenStorage) async throws {
        try await storage.withLease(for: key, duration: .seconds(30), until: { () -> Void? in nil }) { lease in
            _ = try await storage.tokens(for: key)
            try await storage.save(OAuth2Tokens(accessToken: UUID().uuidString), for: key, under: lease)
        }
    }

    private static func statements(of storage: any OAuth2TokenStorage) -> Int {
        #if PostgreSQL
        if let storage = storage as? PostgresTokenStorage { return storage.database.roundTrips }
        #endif
        return 0
    }
}
