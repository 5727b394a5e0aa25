#if PostgreSQL
internal import HttpConvAuthFlows
internal import HttpConvConcurrency
internal import HttpConvPlatform
internal import HttpConvVault

/// The rows of one collection: their statements and encryption, and this process's knowledge of the rows.
struct TokenRows: Sendable {
    private let database: PostgresTokenDatabase
    private let collection: String
    /// The collection's name in the database.
    private let collectionName: [UInt8]
    private var pool: PostgresPool { database.pool }
    private var table: TokenTable { database.table }
    private var patience: Duration { database.configuration.patience }

    init(_ database: PostgresTokenDatabase, collection: String) {
        self.database = database
        self.collection = collection
        collectionName = database.names.index("collection", collection)
    }

    /// The place of a storage key. All keys of the application have the same names.
    func place(_ key: String) -> RowPlace {
        RowPlace(name: database.names.index("record", collection, key), collection: collectionName)
    }

    private func place(of entry: TokenEntry) -> RowPlace {
        RowPlace(name: entry.name, collection: collectionName)
    }

    // MARK: Look-ups

    /// The tokens of a row, from the database; from memory while it cannot be reached.
    func look(up entry: TokenEntry) async throws -> OAuth2Tokens? {
        let latest = entry.latest
        if let latest, pool.isAway {
            probe(entry)
            return latest.tokens
        }
        do {
            // Requests that come at once read once. Without anything in memory it is worth waiting for the database.
            try await database.reads.join(entry.name) { [self] in
                try await read(entry, patience: latest == nil ? patience : .zero)
            }
        } catch let error as PostgresStorageError where error.code == .unavailable {
            guard let latest = entry.latest else { throw error }
            return latest.tokens
        }
        return entry.latest?.tokens
    }

    /// Tries whether a database that was away is back, if it is time for that. No request waits for the answer.
    private func probe(_ entry: TokenEntry) {
        if pool.mayProbe { Task { try? await read(entry, patience: .zero) } }
    }

    /// Reads a row.
    private func read(_ entry: TokenEntry, patience: Duration) async throws {
        let mark = ReadMark(entry, database.changes)
        let row = try await pool.runCancellably(patience: patience) { [table] connection throws(PostgresStorageError) in
            try table.read(entry.name, connection)
        }
        try await keep(row, entry, mark)
    }

    /// The knowledge of a row before it was read.
    private struct ReadMark {
        let highest: Int64
        let session: Int
        let changes: Int

        init(_ entry: TokenEntry, _ listener: ChangeListener) {
            (highest, session, changes) = (entry.highest, listener.session, entry.changes)
        }
    }

    private func keep(_ row: TokenTable.Row?, _ entry: TokenEntry, _ mark: ReadMark) async throws {
        let version = row?.version ?? 0
        guard version >= mark.highest else {
            entry.noteRollback()
            throw Self.rolledBack
        }
        let tokens: OAuth2Tokens?
        do throws(PostgresStorageError) { tokens = try open(row, entry, database.keyring.withLock { $0 }) } catch {
            // Another process may have added a key.
            guard error.code == .wrongKey else { throw error }
            tokens = try open(row, entry, try await database.reloadedKeyring())
        }
        entry.keep(
            .init(tokens: tokens, version: version, fence: row?.fence ?? 0), session: mark.session,
            changes: mark.changes)
    }

    private func open(
        _ row: TokenTable.Row?, _ entry: TokenEntry, _ keyring: StorageKeyring
    ) throws(PostgresStorageError) -> OAuth2Tokens? {
        guard let row, row.version > 0 else { return nil }
        guard row.format <= PostgresSchema.rowFormat else { throw Self.newer }
        guard !row.isTooLarge else { throw TokenTable.damaged }
        guard let sealed = row.sealed else { return nil }
        guard let mark = row.mark,
            let record = try keyring.key(mark).open(sealed, at: table.place(of: entry.name, row)),
            record.key == entry.key,
            let tokens = try? JSONDecoder().decode(OAuth2Tokens.self, from: Data(record.value))
        else { throw TokenTable.damaged }
        return tokens
    }

    static var rolledBack: PostgresStorageError {
        PostgresStorageError(
            .rolledBack,
            "A row of the database is older than one that this process has read: it was rolled back or removed. Restore the database, or log in again."
        )
    }

    private static var newer: PostgresStorageError {
        PostgresStorageError(
            .unsupportedFormat,
            "A row was written by a newer version of this library, in a format that this one does not know. Use a newer version."
        )
    }

    // MARK: Leases

    /// The fence of a lease, if it is granted. The row is read with it: under a lease the newest tokens are known.
    ///
    /// - Parameter isUrgent: whether to wait for a database that is away
    func acquire(_ entry: TokenEntry, milliseconds: Int64, isUrgent: Bool) async throws -> Int64? {
        if !isUrgent, pool.isAway, let error = pool.lastError {
            probe(entry)
            throw error
        }
        let (mark, holder, place) = (ReadMark(entry, database.changes), SharedRecordKey.nonce(), place(of: entry))
        let row = try await pool.runCancellably(patience: isUrgent ? patience : .zero) {
            [table] connection throws(PostgresStorageError) in
            try table.acquire(place, holder: holder, milliseconds: milliseconds, connection)
        }
        guard let row else { return nil }
        do { try await keep(row, entry, mark) } catch is PostgresStorageError {
            // The look-up under the lease throws it.
            entry.forget()
        }
        return row.fence
    }

    func extend(_ entry: TokenEntry, fence: UInt64, milliseconds: Int64) async throws(PostgresStorageError) {
        let fence = try Self.number(fence)
        let isExtended = try await pool.run(patience: .zero) { [table] connection throws(PostgresStorageError) in
            try table.extend(entry.name, fence: fence, milliseconds: milliseconds, connection)
        }
        guard isExtended else { throw Self.leaseLost }
    }

    func release(_ entry: TokenEntry, fence: UInt64, patience: Duration) async throws(PostgresStorageError) {
        let fence = try Self.number(fence)
        try await pool.run(patience: patience) { [table] connection throws(PostgresStorageError) in
            try table.release(entry.name, fence: fence, connection)
        }
    }

    private static func number(_ fence: UInt64) throws(PostgresStorageError) -> Int64 {
        guard let number = Int64(exactly: fence) else { throw leaseLost }
        return number
    }

    private static var leaseLost: PostgresStorageError {
        PostgresStorageError(.leaseLost, "Another process has the lease; nothing was changed.")
    }

    // MARK: Writes

    /// Replaces the content of a row.
    ///
    /// - Parameter tokens: nil removes it
    func write(_ tokens: OAuth2Tokens?, _ value: [UInt8], _ entry: TokenEntry, under fence: UInt64?) async throws {
        let lease = try fence.map(Self.number)
        let place = place(of: entry)
        var known = entry.latest.map { (version: $0.version, fence: $0.fence) }
        // The first try uses the known row; each further try follows a write of another process.
        for _ in 0..<20 {
            let mark = ReadMark(entry, database.changes)
            let base: (version: Int64, fence: Int64)
            if let known {
                base = known
            } else {
                let row = try await row(entry)
                base = (row?.version ?? 0, row?.fence ?? 0)
            }
            let write = try await write(tokens == nil ? nil : value, entry, place, base, lease)
            if try await perform(write, entry) {
                entry.keep(
                    .init(tokens: tokens, version: write.version, fence: max(base.fence, write.written)),
                    session: mark.session, changes: mark.changes)
                return
            }
            known = nil
        }
        throw PostgresStorageError(.unavailable, "Other processes write to the same row again and again. Try again.")
    }

    private func row(_ entry: TokenEntry) async throws(PostgresStorageError) -> TokenTable.Row? {
        try await pool.run(patience: patience) { [table] connection throws(PostgresStorageError) in
            try table.read(entry.name, connection)
        }
    }

    private func write(
        _ value: [UInt8]?, _ entry: TokenEntry, _ place: RowPlace, _ base: (version: Int64, fence: Int64),
        _ lease: Int64?
    ) async throws(PostgresStorageError) -> TokenTable.Write {
        // Greater than everything that was seen, also after the row was rolled back.
        let version = max(base.version, entry.highest) + 1
        // A removal ends the lease: see `endsLease`.
        let written = lease ?? (value == nil ? base.fence + 1 : base.fence)
        var content: (mark: [UInt8], sealed: [UInt8])?
        if let value {
            guard value.count < 1 << 19 else {
                throw PostgresStorageError(.tooLarge, "The tokens are larger than 512 KiB.")
            }
            let key = try database.keyring.withLock { keyring throws(PostgresStorageError) in try keyring.presentKey() }
            do throws(DataVaultError) {
                let place = table.place(of: entry.name, written: written, version: version)
                content = (key.mark, try key.seal(value, for: entry.key, at: place))
            } catch { throw PostgresStorageError(.failed, error.message, underlyingError: error) }
        }
        return TokenTable.Write(
            place: place, replaces: base.version, version: version, written: written, fence: lease, content: content)
    }

    /// - Returns: false if another process has written to the row
    private func perform(_ write: TokenTable.Write, _ entry: TokenEntry) async throws(PostgresStorageError) -> Bool {
        let isWritten = try await pool.run(patience: Self.writePatience) {
            [table] connection throws(PostgresStorageError) in
            try table.write(write, connection)
        }
        if isWritten { return true }
        let row = try await row(entry)
        // The answer to the first try was lost, and the repetition found its own write.
        if let row, row.version == write.version, row.written == write.written,
            row.sealed.map({ $0 == write.content?.sealed }) ?? (write.content == nil)
        {
            return true
        }
        if let fence = write.fence, row?.fence != fence { throw Self.leaseLost }
        if let row, row.format > PostgresSchema.rowFormat { throw Self.newer }
        return false
    }

    /// Shorter than others: requests wait for the new tokens, which are kept in memory if they cannot be stored.
    private static let writePatience = Duration.seconds(2)

    /// Removes all rows of the collection.
    ///
    /// - Parameter entries: the rows that this process knows
    func removeAll(_ entries: [TokenEntry]) async throws {
        let highest = entries.map(\.highest).max() ?? 0
        try await pool.run(patience: patience) { [table, collectionName] connection throws(PostgresStorageError) in
            try table.removeAll(collectionName, above: highest, connection)
        }
        entries.forEach { $0.forget() }
        // Such a row may be missing in the table.
        for entry in entries where entry.isRolledBack { try await write(nil, [], entry, under: nil) }
    }
}
#endif
