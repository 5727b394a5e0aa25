/// The tables of a vault, and the check that a file has exactly these.
enum VaultSchema {
    /// The format of a new vault. Its wrapped key is bound to this number.
    static let firstFormat: Int64 = 1
    /// The same tables, with a secret of two keys: the vault's key was changed at least once.
    private static let changedFormat: Int64 = 2
    /// "DVLT", in SQLite's header.
    private static let applicationID: Int64 = 0x4456_4C54

    private static let tables = [
        "key_slot": """
        CREATE TABLE key_slot (id INTEGER PRIMARY KEY CHECK (id = 1), vault BLOB NOT NULL, kind INTEGER NOT NULL, \
        salt BLOB NOT NULL, cost INTEGER, block_size INTEGER, parallelism INTEGER, wrapped BLOB NOT NULL) STRICT
        """,
        "sequence": """
        CREATE TABLE sequence (id INTEGER PRIMARY KEY CHECK (id = 1), last INTEGER NOT NULL) STRICT
        """,
        "record": """
        CREATE TABLE record (collection BLOB NOT NULL, row BLOB NOT NULL, version INTEGER NOT NULL, \
        sealed BLOB NOT NULL, PRIMARY KEY (collection, row)) STRICT, WITHOUT ROWID
        """,
        "lease": """
        CREATE TABLE lease (name BLOB NOT NULL PRIMARY KEY, token INTEGER NOT NULL, expires INTEGER NOT NULL, \
        holder BLOB NOT NULL) STRICT, WITHOUT ROWID
        """,
    ]

    static func create(in db: SQLiteConnection) throws {
        try db.execute("PRAGMA application_id = \(applicationID)")
        try db.execute("PRAGMA user_version = \(firstFormat)")
        for statement in tables.values { try db.execute(statement) }
        try db.execute("INSERT INTO sequence (id, last) VALUES (1, 0)")
    }

    /// A foreign file could bring triggers or views that act on our writes: only our tables may exist.
    static func check(_ db: SQLiteConnection) throws {
        let application = try number(db, "PRAGMA application_id")
        guard application == applicationID else { throw damaged("It is not a vault.") }
        let version = try number(db, "PRAGMA user_version")
        guard (firstFormat...changedFormat).contains(version) else {
            throw DataVaultError(
                .unsupportedFormat,
                "The vault has format \(version); this version knows the formats up to \(changedFormat). "
                    + "Use a newer version.")
        }
        var found: [String: String] = [:]
        for row in try db.rows("SELECT name, sql FROM sqlite_schema LIMIT 100") {
            let name = try row.text(0)
            // The indexes of primary keys have no statement.
            if row.isNull(1), name.hasPrefix("sqlite_autoindex_") { continue }
            found[name] = try row.text(1)
        }
        guard found == tables else { throw damaged("Its tables are not those of a vault.") }
    }

    /// Keeps out versions that do not support a secret of two keys.
    static func noteKeyChange(in db: SQLiteConnection) throws {
        try db.execute("PRAGMA user_version = \(changedFormat)")
    }

    /// Whether the vault's key was ever changed.
    static func hasChangedKey(_ db: SQLiteConnection) throws -> Bool {
        try number(db, "PRAGMA user_version") == changedFormat
    }

    private static func number(_ db: SQLiteConnection, _ sql: String) throws -> Int64 {
        guard let number = try db.row(sql)?.number(0) else { throw damaged("It is not a vault.") }
        return number
    }

    private static func damaged(_ what: String) -> DataVaultError {
        DataVaultError(.damaged, "The database cannot be used as a vault. \(what)")
    }
}
