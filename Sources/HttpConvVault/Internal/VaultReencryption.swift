internal import Foundation
internal import GRDB

/// Encrypts a vault's whole content anew, within one transaction.
///
/// Records that the old key does not open stay as they are: still damaged, they can be overwritten or deleted.
enum VaultReencryption {
    static func run(in db: Database, from old: VaultCipher, to new: VaultCipher) throws {
        // The key for names stays, so rows keep their places.
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

    /// Reads all rows first: a row that is changed during iteration may come twice, or never.
    private static func places(_ db: Database, _ sql: String) throws -> [StoredRow] {
        try Row.fetchAll(db, sql: sql).map(StoredRow.init)
    }
}
