internal import Foundation
internal import GRDB

/// Encrypts all that is in a vault anew, within one transaction.
///
/// What cannot be opened with the old key stays as it is: it is as damaged as it was, and can still be overwritten or
/// deleted.
enum VaultReencryption {
    static func run(in db: Database, from old: VaultCipher, to new: VaultCipher) throws {
        // What stands in the places of names was made by a key that stays: rows keep their places.
        for row in try places(db, "SELECT collection, row, version FROM record") {
            let (collection, name, version) = (try row.bytes(0), try row.bytes(1), try row.number(2))
            let sql = "SELECT \(DataVaultTransaction.boundedSealed) FROM record WHERE collection = ? AND row = ?"
            let arguments: StatementArguments = [
                DataVaultTransaction.maximumSealedSize, Data(collection), Data(name),
            ]
            let place = SealedRecord.place(collection: collection, row: name, version: version)
            guard
                let sealed = try Row.fetchOne(db, sql: sql, arguments: arguments).map(StoredRow.init)?
                    .bytesIfPresent(0),
                var content = old.open(sealed, at: place)
            else { continue }
            defer { SecretBytes.wipe(&content) }
            try db.execute(
                sql: "UPDATE record SET sealed = ? WHERE collection = ? AND row = ?",
                arguments: [Data(try new.seal(content, at: place)), Data(collection), Data(name)])
        }
        for row in try places(db, "SELECT name, token, holder FROM lease") {
            let (name, token) = (try row.bytes(0), try row.number(1))
            let place = DataVaultTransaction.leasePlace(name, token)
            guard let holder = old.open(try row.bytes(2), at: place) else { continue }
            try db.execute(
                sql: "UPDATE lease SET holder = ? WHERE name = ?",
                arguments: [Data(try new.seal(holder, at: place)), Data(name)])
        }
    }

    /// All rows at once: what is changed while it is read comes twice, or never.
    private static func places(_ db: Database, _ sql: String) throws -> [StoredRow] {
        try Row.fetchAll(db, sql: sql).map(StoredRow.init)
    }
}
