internal import Foundation
internal import GRDB

/// Opens and creates a vault's database.
enum VaultDatabase {
    static func databaseConfiguration(_ settings: DataVaultConfiguration) -> Configuration {
        var configuration = Configuration()
        configuration.busyMode = .timeout(settings.busyTimeout / .seconds(1))
        configuration.label = "DataVault"
        configuration.prepareDatabase { db in
            // Overwrite deleted data, avoid temporary files, and distrust functions and pages of a hostile file.
            for pragma in ["secure_delete = ON", "temp_store = MEMORY", "trusted_schema = OFF", "cell_size_check = ON"]
            {
                try db.execute(sql: "PRAGMA \(pragma)")
            }
        }
        return configuration
    }

    static func open(_ path: String, _ settings: DataVaultConfiguration) throws -> any DatabaseWriter {
        let configuration = databaseConfiguration(settings)
        // A pool writes when it is opened, so that the log exists for its readers.
        let pool: any DatabaseWriter =
            settings.usesOneConnection
            ? try DatabaseQueue(path: path, configuration: configuration)
            : try DatabasePool(path: path, configuration: configuration)
        try pool.writeWithoutTransaction { db in
            // A commit survives a power failure. (The pool's default does not guarantee that.)
            for pragma in ["synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"] {
                try db.execute(sql: "PRAGMA \(pragma)")
            }
            try db.inTransaction(.deferred) {
                try VaultSchema.check(db)
                return .commit
            }
        }
        return pool
    }

    /// Fills a draft file: a single file, already in WAL mode.
    static func fill(draft: String, slot: KeySlot, vaultID: [UInt8], _ settings: DataVaultConfiguration) throws {
        let queue = try DatabaseQueue(path: draft, configuration: databaseConfiguration(settings))
        try queue.write { db in
            try VaultSchema.create(in: db)
            try slot.store(in: db, vaultID: vaultID)
        }
        try queue.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = WAL") }
        try queue.close()
    }
}
