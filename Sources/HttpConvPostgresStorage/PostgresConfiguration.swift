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
    /// How long an operation waits for a database that cannot be reached or written, before it fails.
    public var patience: Duration = .seconds(10)
    /// How many storage keys each ``PostgresTokenStorage`` keeps in memory.
    public var cachedKeys = 1000
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

/// A moment of a statement at which tests cut the connection or stop the process.
package struct PostgresStep: Hashable, Sendable, CustomStringConvertible {
    package enum Moment: String, CaseIterable, Sendable {
        case beforeSend
        /// The database may have the statement, and no answer was read.
        case afterSend
        case afterAnswer
    }

    package let statement: PostgresStatement
    package let moment: Moment

    package init(_ statement: PostgresStatement, _ moment: Moment) {
        (self.statement, self.moment) = (statement, moment)
    }

    package var description: String { "\(statement.rawValue).\(moment.rawValue)" }
}

/// The statements, as fail points name them.
package enum PostgresStatement: String, CaseIterable, Sendable {
    case open, listen, read, acquire, extend, release, save, removeAll, reencrypt
}
#endif
