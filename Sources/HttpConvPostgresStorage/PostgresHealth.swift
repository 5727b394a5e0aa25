#if PostgreSQL

/// The state of a token database as one process sees it.
public struct PostgresHealth: Sendable {
    /// Whether changes by other processes are heard. If not, each look-up reads the database, or uses what is in memory
    /// while the database cannot be reached.
    public let isListening: Bool
    /// The latest failure of the database, if nothing has succeeded since. Otherwise
    /// ``PostgresStorageError/Code/rolledBack`` while rows that this process uses have been rolled back.
    public let lastError: PostgresStorageError?

    /// Whether the database answers and changes are heard. Rows that were rolled back do not count: they concern single
    /// users, who have to log in again.
    public var isWell: Bool { isListening && (lastError == nil || lastError?.code == .rolledBack) }
}
#endif
