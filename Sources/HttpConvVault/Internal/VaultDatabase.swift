import HttpConvConcurrency

/// Opens and creates a vault's database.
enum VaultDatabase {
    /// A connection to the database.
    static func connect(
        _ path: String, _ settings: DataVaultConfiguration, isReadOnly: Bool = false, mayCreate: Bool = false
    ) throws -> SQLiteConnection {
        let busyTimeout = Int32(clamping: settings.busyTimeout.wholeMilliseconds)
        let connection = try SQLiteConnection(
            path, isReadOnly: isReadOnly, mayCreate: mayCreate, busyTimeout: busyTimeout)
        // Overwrite deleted data, avoid temporary files, and distrust functions and pages of a hostile file.
        for pragma in ["secure_delete = ON", "temp_store = MEMORY", "trusted_schema = OFF", "cell_size_check = ON"] {
            try connection.execute("PRAGMA \(pragma)")
        }
        return connection
    }

    /// Opens the connection that writes, and checks that the database is a vault's.
    static func open(_ path: String, _ settings: DataVaultConfiguration) throws -> SQLiteConnection {
        let connection = try connect(path, settings)
        // A commit survives a power failure. (SQLite's default does not guarantee that with a write-ahead log.)
        for pragma in ["synchronous = FULL", "fullfsync = ON", "checkpoint_fullfsync = ON"] {
            try connection.execute("PRAGMA \(pragma)")
        }
        try connection.transaction(isImmediate: false) { try VaultSchema.check($0) }
        // Readers beside the writer need the log. It is there already, unless another program has changed that.
        if !settings.usesOneConnection { try connection.execute("PRAGMA journal_mode = WAL") }
        return connection
    }

    /// The connections of a handle, around the one that writes.
    static func connections(
        _ path: String, _ writer: sending SQLiteConnection, _ settings: DataVaultConfiguration
    ) -> VaultConnections {
        VaultConnections(path, writer: writer, readers: settings.usesOneConnection ? 0 : 4) {
            try connect(path, settings, isReadOnly: true)
        }
    }

    /// Fills a draft file: a single file, already in WAL mode.
    static func fill(draft: String, slot: KeySlot, vaultID: [UInt8], _ settings: DataVaultConfiguration) throws {
        let connection = try connect(draft, settings, mayCreate: true)
        defer { connection.close() }
        try connection.transaction(isImmediate: true) { db in
            try VaultSchema.create(in: db)
            try slot.store(in: db, vaultID: vaultID)
        }
        try connection.execute("PRAGMA journal_mode = WAL")
    }
}
