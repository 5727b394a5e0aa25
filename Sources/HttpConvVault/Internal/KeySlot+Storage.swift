internal import Foundation
internal import GRDB

extension KeySlot {
    /// The stored slot and the vault's id.
    static func load(from db: Database) throws -> (slot: KeySlot, vaultID: [UInt8]) {
        let sql = "SELECT vault, kind, salt, cost, block_size, parallelism, wrapped FROM key_slot WHERE id = 1"
        guard let row = try Row.fetchOne(db, sql: sql).map(StoredRow.init) else {
            throw DataVaultError(.damaged, "The vault is damaged: its wrapped key is missing.")
        }
        let vaultID = try row.bytes(0)
        guard let kind = Kind(rawValue: try row.number(1)) else {
            throw DataVaultError(.unsupportedFormat, "The vault is opened in a way that this version does not know.")
        }
        var scrypt: ScryptParameters?
        if kind == .passcode {
            scrypt = try ScryptParameters(
                cost: Int(row.number(3)), blockSize: Int(row.number(4)), parallelism: Int(row.number(5)))
        }
        let slot = KeySlot(kind: kind, salt: try row.bytes(2), scrypt: scrypt, wrapped: try row.bytes(6))
        guard vaultID.count == 16, slot.salt.count == 32 else {
            throw DataVaultError(.damaged, "The vault is damaged: its wrapped key is not of the form expected.")
        }
        return (slot, vaultID)
    }

    /// The ``mark`` of the stored slot.
    static func mark(in db: Database) throws -> [UInt8] {
        // This runs before each transaction: a cached statement costs little.
        let statement = try db.cachedStatement(sql: "SELECT salt FROM key_slot WHERE id = 1")
        guard let row = try Row.fetchOne(statement) else {
            throw DataVaultError(.damaged, "The vault is damaged: its wrapped key is missing.")
        }
        return try StoredRow(row).bytes(0)
    }

    /// Replaces the stored slot.
    func store(in db: Database, vaultID: [UInt8]) throws {
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO key_slot (id, vault, kind, salt, cost, block_size, parallelism, wrapped)
                VALUES (1, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                Data(vaultID), kind.rawValue, Data(salt), scrypt?.cost, scrypt?.blockSize, scrypt?.parallelism,
                Data(wrapped),
            ])
    }
}
