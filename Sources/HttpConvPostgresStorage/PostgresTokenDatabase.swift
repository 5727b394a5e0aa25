#if PostgreSQL
internal import HttpConvAuthFlows
internal import HttpConvConcurrency
public import HttpConvVault
internal import Synchronization

/// Encrypted tokens in a PostgreSQL database that all machines of a fleet share, with leases between them.
///
/// A process opens it once; each ``PostgresTokenStorage`` uses it for the tokens of one collection or user.
///
/// Values are encrypted with AES-256-GCM under a key of the application that never reaches the database, and bound to
/// table, storage key, fence and version: rows that were changed or exchanged throw `.damaged`. A row that is older
/// than one that this process has read throws `.rolledBack`. The names of collections and storage keys are hidden
/// behind HMACs.
///
/// Limits: a process notices that a row was rolled back only if it has read a newer state of that row. A role that may
/// write to the tables can remove rows and give out leases.
public final class PostgresTokenDatabase: Sendable {
    let configuration: PostgresConfiguration
    let pool: PostgresPool
    let table: TokenTable
    let changes: ChangeListener
    let keyring: Mutex<StorageKeyring>
    /// All keys of the storage hash names in the same way.
    let names: SharedRecordKey
    let reads = SingleFlight<[UInt8], Void>()
    private let entries: EntryRegistry

    /// Opens the storage; creates its tables if they are missing.
    ///
    /// - Parameters:
    ///   - configuration: how the database is reached
    ///   - key: the key that new values are encrypted under: 32 random bytes or more, the same in all processes
    ///   - formerKeys: further keys whose values can be read; see ``reencrypt()``
    /// - Throws: `.wrongKey`, `.keyUnusable`, `.unavailable`, `.untrusted`, `.notAuthorized`, `.unsupportedFormat`, …
    public static func open(
        _ configuration: PostgresConfiguration, key: DataVaultKey, formerKeys: [DataVaultKey] = []
    ) async throws(PostgresStorageError) -> PostgresTokenDatabase {
        let (pool, schema) = (try PostgresPool(configuration), try PostgresSchema(configuration))
        do {
            let keyring = try await pool.run(patience: configuration.patience) {
                connection throws(PostgresStorageError) in
                try schema.open(connection, [key] + formerKeys)
            }
            return try PostgresTokenDatabase(configuration, pool, schema, keyring)
        } catch {
            pool.close()
            throw error
        }
    }

    private init(
        _ configuration: PostgresConfiguration, _ pool: PostgresPool, _ schema: PostgresSchema,
        _ keyring: StorageKeyring
    ) throws(PostgresStorageError) {
        let entries = EntryRegistry()
        (self.configuration, self.pool, self.entries) = (configuration, pool, entries)
        table = TokenTable(schema)
        names = try keyring.presentKey()
        self.keyring = Mutex(keyring)
        changes = try ChangeListener(pool, channel: schema.channel, heartbeat: configuration.heartbeat) { payload in
            if let change = TokenTable.change(payload) { entries.announce(change.name, change.version) }
        }
    }

    deinit { close() }

    /// Closes the connections, each once its statement has ended. Later operations throw `.closed`.
    public func close() {
        changes.stop()
        pool.close()
    }

    /// Encrypts all values under the present key and retires the other keys. Returns the number of values that no key
    /// opened: they stay as they are.
    ///
    /// To change the key, start all processes with the new key among their `formerKeys`, then all with the new key as
    /// their key and the old one among `formerKeys`. Then one process calls this method, and the old key can be
    /// forgotten. A process that still writes under a retired key gets `.keyRetired`.
    @discardableResult
    public func reencrypt() async throws(PostgresStorageError) -> Int {
        let keyring = try await reloadedKeyring()
        let current = try keyring.presentKey()
        return try await pool.run(patience: configuration.patience) { [table] connection throws(PostgresStorageError) in
            try table.reencrypt(keyring, under: current, connection)
        }
    }

    /// The state of the database as this process sees it.
    public var health: PostgresHealth {
        PostgresHealth(
            isListening: changes.session > 0,
            lastError: pool.lastError ?? (entries.hasRolledBackRow ? TokenRows.rolledBack : nil))
    }

    /// The number of operations that the database has answered to this process, for measurements.
    package var roundTrips: Int { pool.roundTrips }

    /// The entry of a row, shared by all storages of this process.
    func entry(_ place: RowPlace, key: String) -> TokenEntry { entries.entry(place.name, key: key) }

    /// Reads the key slots again: another process may have added one.
    func reloadedKeyring() async throws(PostgresStorageError) -> StorageKeyring {
        let before = keyring.withLock { $0 }
        let slots = try await pool.run(patience: configuration.patience) {
            [table] connection throws(PostgresStorageError) in
            try table.schema.slots(connection)
        }
        let now = try before.reloaded(slots)
        keyring.withLock { $0 = now }
        return now
    }
}

extension PostgresTokenDatabase: CustomStringConvertible, CustomReflectable {
    /// The schema, without the connection string.
    public var description: String { "PostgresTokenDatabase(schema \(configuration.schema))" }
    public var customMirror: Mirror { Mirror(self, children: ["schema": configuration.schema]) }
}
#endif
