#if PostgreSQL
internal import HttpConvVault

/// The tables, and their creation.
struct PostgresSchema: Sendable {
    private let name: String
    let tokens: String
    let keys: String
    let store: String
    /// The channel of notifications.
    let channel: String
    let formats: PostgresFormats

    /// The format of rows.
    static let rowFormat: Int64 = 1
    /// The lock under which tables are made: the bytes of "DVLT".
    private static let lock: Int64 = 0x4456_4C54

    init(_ configuration: PostgresConfiguration) throws(PostgresStorageError) {
        let schema = configuration.schema
        // PostgreSQL cuts longer names.
        guard (1...40).contains(schema.utf8.count), !schema.utf8.contains(0) else {
            throw PostgresStorageError(.invalidConfiguration, "The name of the schema has 1 to 40 bytes.")
        }
        name = schema
        let quoted = "\"\(schema.replacing("\"", with: "\"\""))\""
        tokens = "\(quoted).httpconv_token"
        keys = "\(quoted).httpconv_key"
        store = "\(quoted).httpconv_store"
        channel = "\"httpconv \(schema.replacing("\"", with: "\"\""))\""
        formats = configuration.formats
    }

    /// The name of the channel, unquoted.
    var channelName: String { String(channel.dropFirst().dropLast()).replacing("\"\"", with: "\"") }

    /// Opens the storage, which is created or migrated if that is needed. Adds a slot for the present key if it has
    /// none.
    func open(
        _ connection: borrowing PostgresConnection, _ keys: [DataVaultKey]
    ) throws(PostgresStorageError) -> StorageKeyring {
        if let found = try current(connection), found.format >= formats.newest {
            let keyring = try StorageKeyring(keys, id: found.id, slots: try slots(connection))
            if keyring.present != nil { return keyring }
        }
        _ = try connection.run(.open, "BEGIN")
        do throws(PostgresStorageError) {
            // One of the processes that start at once creates the tables and the key for names.
            _ = try connection.run(.open, "SELECT pg_advisory_xact_lock(\(Self.lock))")
            if try current(connection) == nil { try create(connection) }
            try migrate(connection)
            guard let found = try current(connection) else { throw Self.damaged }
            var keyring = try StorageKeyring(keys, id: found.id, slots: try slots(connection))
            if keyring.present == nil {
                let slot = try keyring.slotForPresentKey()
                _ = try connection.run(
                    .open, "INSERT INTO \(self.keys) (mark, wrapped) VALUES ($1, $2)",
                    [.bytes(slot.mark), .bytes(slot.wrapped)])
                keyring = try StorageKeyring(keys, id: found.id, slots: try slots(connection))
            }
            _ = try connection.run(.open, "COMMIT")
            return keyring
        } catch {
            _ = try? connection.run(.open, "ROLLBACK")
            throw error
        }
    }

    private func current(
        _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) -> (id: [UInt8], format: Int64)? {
        // Not to_regclass, which may not see a table that another process has just created.
        let sql = """
            SELECT 1::int8 FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
            WHERE nspname = $1 AND relname = 'httpconv_store'
            """
        let exists = try connection.run(.open, sql, [.text(name)])
        guard !exists.isEmpty else { return nil }
        guard let row = try connection.run(.open, "SELECT id, format, oldest FROM \(store)").first else {
            throw Self.damaged
        }
        let (id, format, oldest) = (try row.bytes(0), try row.number(1), try row.number(2))
        guard id.count == SharedRecordKey.storeIDSize, format > 0, oldest > 0 else { throw Self.damaged }
        guard oldest <= formats.newest else {
            throw PostgresStorageError(
                .unsupportedFormat,
                "The tables have format \(format), which versions for format \(oldest) and later can use; this one knows \(formats.newest). Use a newer version."
            )
        }
        return (id, format)
    }

    private func create(_ connection: borrowing PostgresConnection) throws(PostgresStorageError) {
        for statement in [
            """
            CREATE TABLE \(store) (one boolean PRIMARY KEY DEFAULT true CHECK (one), id bytea NOT NULL,
            format int8 NOT NULL, oldest int8 NOT NULL)
            """,
            "CREATE TABLE \(keys) (mark bytea PRIMARY KEY, wrapped bytea NOT NULL)",
            """
            CREATE TABLE \(tokens) (name bytea PRIMARY KEY, collection bytea NOT NULL, fence int8 NOT NULL DEFAULT 0,
            holder bytea, expires timestamptz, renewed timestamptz, version int8 NOT NULL DEFAULT 0,
            written int8 NOT NULL DEFAULT 0, format int8 NOT NULL DEFAULT \(Self.rowFormat),
            mark bytea REFERENCES \(keys), sealed bytea)
            """,
            "CREATE INDEX ON \(tokens) (collection)",
        ] { _ = try connection.run(.open, statement) }
        _ = try connection.run(
            .open, "INSERT INTO \(store) (id, format, oldest) VALUES ($1, 1, 1)",
            [.bytes(SharedRecordKey.randomStoreID())])
    }

    private func migrate(_ connection: borrowing PostgresConnection) throws(PostgresStorageError) {
        guard let found = try current(connection) else { throw Self.damaged }
        for migration in formats.migrations where migration.format > found.format {
            for statement in migration.statements {
                _ = try connection.run(.open, statement.replacing("$tokens", with: tokens))
            }
            _ = try connection.run(
                .open, "UPDATE \(store) SET format = $1::int8, oldest = greatest(oldest, $2::int8)",
                [.number(migration.format), .number(migration.oldest)])
        }
    }

    func slots(_ connection: borrowing PostgresConnection) throws(PostgresStorageError) -> [SharedRecordKey.Slot] {
        // No more than an administrator would ever have.
        var slots: [SharedRecordKey.Slot] = []
        for row in try connection.run(.open, "SELECT mark, wrapped FROM \(keys) ORDER BY mark LIMIT 100").all {
            slots.append(SharedRecordKey.Slot(mark: try row.bytes(0), wrapped: try row.bytes(1)))
        }
        return slots
    }

    static var damaged: PostgresStorageError {
        PostgresStorageError(.damaged, "The tables are not those of a token storage: check the schema.")
    }
}
#endif
