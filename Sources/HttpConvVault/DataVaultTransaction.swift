/// Reads and writes in one atomic transaction.
///
/// Only valid inside the closure that received it. All operations throw ``DataVaultError``, such as
/// ``DataVaultError/Code/damaged``, or ``DataVaultError/Code/tooLarge`` beyond ``DataVault/maximumValueSize``. The
/// closure may also see the ``SQLiteError`` of the database, which ``DataVault/transaction(_:)`` turns into a
/// ``DataVaultError``.
public struct DataVaultTransaction {
    let db: SQLiteConnection
    let vault: DataVault
    let cipher: VaultCipher

    init(db: SQLiteConnection, vault: DataVault, cipher: VaultCipher) {
        (self.db, self.vault, self.cipher) = (db, vault, cipher)
    }

    /// - Throws: `.closed`, `.keyChanged`
    init(db: SQLiteConnection, vault: DataVault) throws {
        self.init(db: db, vault: vault, cipher: try vault.keyring.cipher(for: KeySlot.mark(in: db)))
    }

    /// The record under a key.
    public func read(_ key: String, in collection: String) throws -> DataVaultRecord? {
        let place = Place(key, collection, cipher)
        guard let stored = try stored(at: place) else { return nil }
        guard let sealed = stored.sealed,
            let content = cipher.open(
                sealed,
                at: SealedRecord.place(collection: place.collection, row: place.row, version: stored.version)),
            let record = SealedRecord(content: content), record.key == key
        else { throw Self.damaged }
        return DataVaultRecord(value: record.value, version: stored.version)
    }

    /// Stores a value, replacing the present one, readable or not; returns its version.
    @discardableResult
    public func write(_ value: [UInt8], for key: String, in collection: String) throws -> Int64 {
        guard value.count <= DataVault.maximumValueSize, key.utf8.count <= DataVault.maximumKeySize else {
            throw DataVaultError(
                .tooLarge,
                "A record may have \(DataVault.maximumValueSize) bytes, and its key \(DataVault.maximumKeySize): nothing was changed."
            )
        }
        let place = Place(key, collection, cipher)
        let version = try nextInSequence()
        let sealed = try cipher.seal(
            SealedRecord(key: key, value: value).content,
            at: SealedRecord.place(collection: place.collection, row: place.row, version: version))
        try db.execute(
            "INSERT OR REPLACE INTO record (collection, row, version, sealed) VALUES (?, ?, ?, ?)",
            [.bytes(place.collection), .bytes(place.row), .number(version), .bytes(sealed)])
        return version
    }

    /// Stores a value if the record still has the expected version; nil expects no record.
    ///
    /// - Throws: `.versionConflict`.
    @discardableResult
    public func compareAndSwap(
        _ value: [UInt8], for key: String, in collection: String, expectedVersion: Int64?
    ) throws -> Int64 {
        guard try stored(at: Place(key, collection, cipher))?.version == expectedVersion else {
            throw DataVaultError(.versionConflict, "Another process changed the record meanwhile.")
        }
        return try write(value, for: key, in: collection)
    }

    /// Removes a record, readable or not; returns whether there was one.
    @discardableResult
    public func delete(_ key: String, in collection: String) throws -> Bool {
        let place = Place(key, collection, cipher)
        try db.execute(
            "DELETE FROM record WHERE collection = ? AND row = ?", [.bytes(place.collection), .bytes(place.row)])
        return db.changes > 0
    }

    /// Removes all records of a collection, readable or not; returns their number.
    @discardableResult
    public func deleteAll(in collection: String) throws -> Int {
        let index = Place.collection(collection, cipher)
        try db.execute("DELETE FROM record WHERE collection = ?", [.bytes(index)])
        return db.changes
    }

    /// The keys of a collection, in no particular order. Reads all of its records.
    public func keys(in collection: String) throws -> [String] {
        try storedKeys(in: collection) { throw Self.damaged }
    }

    /// The keys of those records of a collection that can be read.
    package func readableKeys(in collection: String) throws -> [String] { try storedKeys(in: collection) {} }

    /// - Parameter damaged: called for each record that cannot be read
    private func storedKeys(in collection: String, damaged: () throws -> Void) throws -> [String] {
        let index = Place.collection(collection, cipher)
        let sql = "SELECT row, version, \(Self.boundedSealed) FROM record WHERE collection = ?"
        var keys: [String] = []
        try db.forEach(sql, [.number(Self.maximumSealedSize), .bytes(index)]) { row in
            let place = SealedRecord.place(collection: index, row: try row.bytes(0), version: try row.number(1))
            guard let sealed = try row.bytesIfPresent(2), let content = cipher.open(sealed, at: place),
                let record = SealedRecord(content: content)
            else {
                try damaged()
                return true
            }
            keys.append(record.key)
            return true
        }
        return keys
    }

    /// The next number of the vault's sequence; each is used once.
    func nextInSequence() throws -> Int64 {
        guard let last = try db.row("SELECT last FROM sequence WHERE id = 1")?.number(0) else { throw Self.damaged }
        guard last >= 0, last < Int64.max else { throw Self.damaged }
        try db.execute("UPDATE sequence SET last = ? WHERE id = 1", [.number(last + 1)])
        return last + 1
    }

    private func stored(at place: Place) throws -> (version: Int64, sealed: [UInt8]?)? {
        let sql = "SELECT version, \(Self.boundedSealed) FROM record WHERE collection = ? AND row = ?"
        let values: [SQLiteValue] = [.number(Self.maximumSealedSize), .bytes(place.collection), .bytes(place.row)]
        guard let row = try db.row(sql, values) else { return nil }
        return (try row.number(0), try row.bytesIfPresent(1))
    }

    /// Null if the record exceeds the size of anything that we write.
    static let boundedSealed = "CASE WHEN length(sealed) <= ? THEN sealed END"
    static let maximumSealedSize = DataVault.maximumValueSize + DataVault.maximumKeySize + 64

    static var damaged: DataVaultError {
        DataVaultError(
            .damaged, "A record of the vault is damaged or was tampered with. It can be overwritten or deleted.")
    }
}

/// The place of a record in the tables.
private struct Place {
    let collection: [UInt8]
    let row: [UInt8]

    init(_ key: String, _ collection: String, _ cipher: VaultCipher) {
        self.collection = Self.collection(collection, cipher)
        row = cipher.index("record", collection, key)
    }

    static func collection(_ name: String, _ cipher: VaultCipher) -> [UInt8] { cipher.index("collection", name) }
}
