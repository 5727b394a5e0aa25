extension KeySlot {
    /// The stored slot and the vault's id.
    static func load(from db: SQLiteConnection) throws -> (slot: KeySlot, vaultID: [UInt8]) {
        let sql = "SELECT vault, kind, salt, cost, block_size, parallelism, wrapped FROM key_slot WHERE id = 1"
        guard let row = try db.row(sql) else {
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
    static func mark(in db: SQLiteConnection) throws -> [UInt8] {
        guard let row = try db.row("SELECT salt FROM key_slot WHERE id = 1") else {
            throw DataVaultError(.damaged, "The vault is damaged: its wrapped key is missing.")
        }
        return try row.bytes(0)
    }

    /// Replaces the stored slot.
    func store(in db: SQLiteConnection, vaultID: [UInt8]) throws {
        try db.execute(
            """
            INSERT OR REPLACE INTO key_slot (id, vault, kind, salt, cost, block_size, parallelism, wrapped)
            VALUES (1, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                .bytes(vaultID), .number(kind.rawValue), .bytes(salt), .number(scrypt?.cost),
                .number(scrypt?.blockSize), .number(scrypt?.parallelism), .bytes(wrapped),
            ])
    }
}
