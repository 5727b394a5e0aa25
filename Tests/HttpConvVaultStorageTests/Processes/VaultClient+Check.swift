import Foundation
import HttpConvVaultStorage
import Testing
import VaultWorker

@testable import HttpConvVault

extension VaultClient {
    /// Checks that the vault opens, that all of it can be read, and that SQLite finds no damage.
    func checkStore() async throws {
        let vault = try await open()
        #expect(try await vault.keys(in: VaultTokenStorage.defaultCollection).count <= 1)
        _ = try await VaultTokenStorage(vault).tokens(for: key)
        let verdict = try await vault.connections.read { try $0.rows("PRAGMA integrity_check").map { try $0.text(0) } }
        #expect(verdict == ["ok"])
        try await vault.close()
    }
}
