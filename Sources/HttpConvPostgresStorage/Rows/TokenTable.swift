#if PostgreSQL
internal import HttpConvAuthFlows
internal import HttpConvFormats
internal import HttpConvVault

/// The statements on the table of tokens. A row has the tokens of one storage key and the lease on them.
///
/// Each write is one statement, which also checks the lease: no lock is held while a client thinks. Each may be
/// repeated after its answer was lost.
struct TokenTable: Sendable {
    let schema: PostgresSchema
    private var tokens: String { schema.tokens }

    init(_ schema: PostgresSchema) { self.schema = schema }

    /// A row as it is stored.
    struct Row: Sendable {
        let fence: Int64
        let version: Int64
        /// The fence at which ``sealed`` was written.
        let written: Int64
        let format: Int64
        let mark: [UInt8]?
        /// Nil after a removal, and before the first write.
        let sealed: [UInt8]?
        /// Whether there is content that is too large for anything that we write.
        let isTooLarge: Bool

        /// No count of ours gets so far. Larger numbers could not be incremented.
        private static let limit: Int64 = 1 << 62

        init(_ row: PostgresRow) throws(PostgresStorageError) {
            fence = try row.number(0)
            version = try row.number(1)
            written = try row.number(2)
            format = try row.number(3)
            mark = try row.bytesIfPresent(4)
            sealed = try row.bytesIfPresent(5)
            isTooLarge = sealed == nil && mark != nil
            guard fence >= 0, version >= 0, (0...fence).contains(written), max(fence, version) < Self.limit else {
                throw TokenTable.damaged
            }
        }
    }

    private static let largest = 1 << 20
    static let columns = """
        row.fence, row.version, row.written, row.format, row.mark, \
        CASE WHEN length(row.sealed) <= \(largest) THEN row.sealed END
        """

    func read(_ name: [UInt8], _ connection: borrowing PostgresConnection) throws(PostgresStorageError) -> Row? {
        let rows = try connection.run(
            .read, "SELECT \(Self.columns) FROM \(tokens) AS row WHERE name = $1", [.bytes(name)])
        return try rows.first.map { row throws(PostgresStorageError) in try Row(row) }
    }

    // MARK: Leases

    /// Takes a lease by the database's clock; nil if it is held.
    ///
    /// A lease whose holder could not extend it while the database was down stays its holder's for one more duration.
    ///
    /// - Parameter holder: a random number of this request: the repetition of a request gets its own lease
    func acquire(
        _ place: RowPlace, holder: [UInt8], milliseconds: Int64, _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) -> Row? {
        let sql = """
            INSERT INTO \(tokens) AS row (name, collection, fence, holder, expires, renewed)
            VALUES ($1, $2, 1, $3, clock_timestamp() + $4::int8 * interval '1 millisecond', clock_timestamp())
            ON CONFLICT (name) DO UPDATE SET
                fence = CASE WHEN row.holder = $3 THEN row.fence ELSE row.fence + 1 END,
                holder = $3, expires = excluded.expires, renewed = excluded.renewed
            WHERE row.holder = $3 OR row.expires IS NULL
                OR row.expires <= clock_timestamp() AND (row.renewed >= pg_postmaster_start_time()
                    OR clock_timestamp() >= pg_postmaster_start_time() + $4::int8 * interval '1 millisecond')
                OR row.expires > clock_timestamp() + interval '61 minutes'
            RETURNING \(Self.columns)
            """
        let rows = try connection.run(
            .acquire, sql,
            [.bytes(place.name), .bytes(place.collection), .bytes(holder), .number(milliseconds)])
        return try rows.first.map { row throws(PostgresStorageError) in try Row(row) }
    }

    /// Extends a lease to a duration from now.
    ///
    /// - Returns: false if another holder has taken it, or it was released
    func extend(
        _ name: [UInt8], fence: Int64, milliseconds: Int64, _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) -> Bool {
        let sql = """
            UPDATE \(tokens) SET expires = clock_timestamp() + $3::int8 * interval '1 millisecond',
                renewed = clock_timestamp()
            WHERE name = $1 AND fence = $2::int8 AND expires IS NOT NULL RETURNING 1::int8
            """
        return try !connection.run(.extend, sql, [.bytes(name), .number(fence), .number(milliseconds)]).isEmpty
    }

    /// Releases a lease; does nothing if another holder has taken it.
    func release(
        _ name: [UInt8], fence: Int64, _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) {
        let sql = """
            WITH changed AS (UPDATE \(tokens) SET expires = NULL
                WHERE name = $1 AND fence = $2::int8 AND expires IS NOT NULL RETURNING name, version)
            SELECT \(Self.notify("$3"))::text FROM changed
            """
        _ = try connection.run(.release, sql, [.bytes(name), .number(fence), .text(schema.channelName)])
    }

    // MARK: Writes

    /// A write of one row.
    struct Write: Sendable {
        let place: RowPlace
        /// The version that is replaced; 0 for a row without content or for none.
        let replaces: Int64
        let version: Int64
        let written: Int64
        /// The fence that the row must have; nil for a write without a lease.
        let fence: Int64?
        /// Mark and content; nil for a removal.
        let content: (mark: [UInt8], sealed: [UInt8])?

        /// Whether it is a removal without a lease, after which no holder of one may write.
        var endsLease: Bool { content == nil && fence == nil }
    }

    private static let endOfLease = "fence = row.fence + 1, expires = NULL"

    /// Writes if the row still has the expected version and lease.
    ///
    /// - Returns: whether it was written
    func write(_ write: Write, _ connection: borrowing PostgresConnection) throws(PostgresStorageError) -> Bool {
        let set =
            "version = $3::int8, written = $4::int8, mark = $5, sealed = $6, format = \(PostgresSchema.rowFormat)"
            + (write.endsLease ? ", \(Self.endOfLease)" : "")
        let isAsExpected = """
            row.version = $2::int8 AND ($7::int8 IS NULL OR row.fence = $7::int8) \
            AND row.format <= \(PostgresSchema.rowFormat)
            """
        let change =
            write.fence != nil
            ? "UPDATE \(tokens) AS row SET \(set) WHERE name = $1 AND $8::bytea IS NOT NULL AND \(isAsExpected)"
            : """
            INSERT INTO \(tokens) AS row (name, collection, fence, version, written, mark, sealed)
            SELECT $1, $8, $4::int8, $3::int8, $4::int8, $5, $6
            ON CONFLICT (name) DO UPDATE SET \(set) WHERE \(isAsExpected)
            """
        let sql = """
            WITH changed AS (\(change) RETURNING row.name, row.version)
            SELECT \(Self.notify("$9"))::text FROM changed
            """
        let rows = try connection.run(
            .save, sql,
            [
                .bytes(write.place.name), .number(write.replaces), .number(write.version), .number(write.written),
                write.content.map { .bytes($0.mark) } ?? .null, write.content.map { .bytes($0.sealed) } ?? .null,
                write.fence.map { .number($0) } ?? .null, .bytes(write.place.collection), .text(schema.channelName),
            ])
        return !rows.isEmpty
    }

    /// Removes all tokens of a collection.
    ///
    /// - Parameter version: a version that the removed rows must exceed
    func removeAll(
        _ collection: [UInt8], above version: Int64, _ connection: borrowing PostgresConnection
    ) throws(PostgresStorageError) {
        let sql = """
            WITH changed AS (UPDATE \(tokens) AS row
                SET version = greatest(version, $3::int8) + 1, mark = NULL, sealed = NULL, format = \(PostgresSchema.rowFormat),
                    written = row.fence + 1, \(Self.endOfLease)
                WHERE collection = $1 AND sealed IS NOT NULL RETURNING name, version)
            SELECT count(\(Self.notify("$2"))::text) FROM changed
            """
        _ = try connection.run(.removeAll, sql, [.bytes(collection), .text(schema.channelName), .number(version)])
    }

    // MARK: Notifications

    private static func notify(_ channel: String) -> String {
        "pg_notify(\(channel), encode(name, 'hex') || ' ' || version)"
    }

    /// The name and version of a notification; nil if it is not one of ours.
    static func change(_ payload: String) -> (name: String, version: Int64)? {
        guard let (name, version) = payload.cut(atASCII: " "),
            let number = PeerNumber.integer(version, in: 0...Int64.max)
        else { return nil }
        return (String(name), number)
    }

    static var damaged: PostgresStorageError {
        PostgresStorageError(
            .damaged, "A row of the database is damaged or was tampered with. It can be overwritten or deleted.")
    }
}

/// The place of a row: hashes of its storage key and collection.
struct RowPlace: Sendable {
    let name: [UInt8]
    let collection: [UInt8]
}
#endif
