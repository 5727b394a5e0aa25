#if PostgreSQL
internal import HttpConvVault

extension TokenTable {
    /// Encrypts all values under one key, and deletes the slots of the other keys.
    ///
    /// Versions stay: what other processes have in memory is still current.
    ///
    /// - Returns: the number of values that no key opened
    func reencrypt(
        _ keyring: StorageKeyring, under current: SharedRecordKey, _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) -> Int {
        // A process may write under an old key meanwhile: then its slot cannot be deleted, and its rows are next.
        for _ in 0..<10 {
            let unreadable = try reencryptOnce(keyring, under: current, connection)
            do {
                _ = try connection.run(
                    .reencrypt,
                    """
                    DELETE FROM \(schema.keys) AS slot WHERE mark <> $1
                    AND NOT EXISTS (SELECT FROM \(schema.tokens) AS row WHERE row.mark = slot.mark AND $2)
                    """, [.bytes(current.mark), .text(unreadable > 0 ? "true" : "false")])
                return unreadable
            } catch  where error.code == .keyRetired {
                continue
            }
        }
        throw PostgresStorageError(
            .keyRetired,
            "Other processes go on writing under a former key. Start them with the present key, then repeat.")
    }

    private func reencryptOnce(
        _ keyring: StorageKeyring, under current: SharedRecordKey, _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) -> Int {
        var last: [UInt8] = []
        var unreadable = 0
        while true {
            let rows = try connection.run(
                .reencrypt,
                """
                SELECT \(Self.columns), row.name FROM \(schema.tokens) AS row
                WHERE mark <> $1 AND name > $2 ORDER BY name LIMIT 100
                """, [.bytes(current.mark), .bytes(last)]
            ).all
            for columns in rows {
                last = try columns.bytes(6)
                if try !reencrypt(Row(columns), named: last, keyring, under: current, connection) { unreadable += 1 }
            }
            if rows.isEmpty { return unreadable }
        }
    }

    /// - Returns: whether the row could be opened
    private func reencrypt(
        _ row: Row, named name: [UInt8], _ keyring: StorageKeyring, under current: SharedRecordKey,
        _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) -> Bool {
        let place = place(of: name, row)
        guard row.format <= PostgresSchema.rowFormat, let mark = row.mark, let sealed = row.sealed,
            let key = keyring.knownKey(mark), let opened = key.open(sealed, at: place)
        else { return false }
        let next: [UInt8]
        do throws(DataVaultError) { next = try current.seal(opened.value, for: opened.key, at: place) } catch {
            throw PostgresStorageError(.failed, error.message, underlyingError: error)
        }
        _ = try connection.run(
            .reencrypt,
            "UPDATE \(schema.tokens) SET mark = $1, sealed = $2 WHERE name = $3 AND version = $4::int8 AND mark = $5",
            [.bytes(current.mark), .bytes(next), .bytes(name), .number(row.version), .bytes(mark)])
        return true
    }

    /// The place that a row's content is bound to.
    func place(of name: [UInt8], _ row: Row) -> SharedRecordPlace {
        place(of: name, written: row.written, version: row.version)
    }

    func place(of name: [UInt8], written: Int64, version: Int64) -> SharedRecordPlace {
        SharedRecordPlace(table: schema.tokens, name: name, fence: written, version: version)
    }
}
#endif
