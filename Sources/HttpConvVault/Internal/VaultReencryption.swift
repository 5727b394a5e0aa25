/// Encrypts a vault's whole content anew, within one transaction.
///
/// Records that the old key does not open stay as they are: still damaged, they can be overwritten or deleted.
enum VaultReencryption {
    static func run(in db: SQLiteConnection, from old: VaultCipher, to new: VaultCipher) throws {
        // The key for names stays, so rows keep their places. All rows are read first: one that is changed during
        // iteration may come twice, or never.
        for row in try db.rows("SELECT collection, row, version FROM record") {
            let (collection, name, version) = (try row.bytes(0), try row.bytes(1), try row.number(2))
            let sql = "SELECT \(DataVaultTransaction.boundedSealed) FROM record WHERE collection = ? AND row = ?"
            let values: [SQLiteValue] = [
                .number(DataVaultTransaction.maximumSealedSize), .bytes(collection), .bytes(name),
            ]
            let place = SealedRecord.place(collection: collection, row: name, version: version)
            guard
                let sealed = try db.row(sql, values)?.bytesIfPresent(0), var content = old.open(sealed, at: place)
            else { continue }
            defer { SecretBytes.wipe(&content) }
            try db.execute(
                "UPDATE record SET sealed = ? WHERE collection = ? AND row = ?",
                [.bytes(try new.seal(content, at: place)), .bytes(collection), .bytes(name)])
        }
        for row in try db.rows("SELECT name, token, holder FROM lease") {
            let (name, token) = (try row.bytes(0), try row.number(1))
            let place = DataVaultTransaction.leasePlace(name, token)
            guard let holder = old.open(try row.bytes(2), at: place) else { continue }
            try db.execute(
                "UPDATE lease SET holder = ? WHERE name = ?",
                [.bytes(try new.seal(holder, at: place)), .bytes(name)])
        }
    }
}
