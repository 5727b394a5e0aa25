#if PostgreSQL

/// The settings of a storage in PostgreSQL.
public struct PostgresConfiguration: Sendable {
    /// The connection string of libpq, as keywords or as a URI, such as
    /// `host=db.example.com dbname=app user=app passfile=/run/secrets/pgpass sslrootcert=/etc/ssl/db-ca.pem`.
    ///
    /// Connections over TCP use TLS, and the server's certificate is verified with its name (`sslmode=verify-full`);
    /// another `sslmode` is refused. A Unix socket needs no TLS. Never printed, because it may contain a password.
    public var connection: String
    /// The schema of the tables. It exists, and nobody else may create or change objects in it.
    public var schema = "public"
    /// The largest number of connections for reads and writes; one more listens for changes.
    public var connections = 4
    /// The limit for one answer of the database, and for connecting to one address.
    ///
    /// A silent address is given up after this time in whole seconds, at least two, and the next address or host of the
    /// connection string is tried. A `connect_timeout` of the connection string counts if it is shorter.
    public var timeout: Duration = .seconds(5)
    /// The time for which an operation waits for a database that cannot be reached or written, before it fails.
    public var patience: Duration = .seconds(10)
    /// The number of storage keys that each ``PostgresTokenStorage`` keeps in memory.
    public var cachedKeys = 1000
    /// How long the connection that listens for changes may be silent before the database is asked whether it is there.
    package var heartbeat = Duration.seconds(10)
    /// The formats of the tables that this version knows; tests add newer ones.
    package var formats = PostgresFormats()
    /// Called at the steps of each statement; true cuts the connection. For tests.
    package var failPoint: (@Sendable (PostgresStep) -> Bool)?

    /// - Parameter connection: the connection string of libpq
    public init(_ connection: String) { self.connection = connection }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The schema and the number of connections; the connection string may contain a password.
    public var description: String { "PostgresConfiguration(schema \(schema), \(connections) connections)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["schema": schema]) }
}
#endif
