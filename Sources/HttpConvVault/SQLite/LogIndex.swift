internal import Synchronization

/// The header of a write-ahead log's index, which the connections of all processes share in memory; used by one thread
/// at a time.
///
/// SQLite writes it with each commit: a counter of changes, the end of the log, and its checksum; twice, because a
/// process may be interrupted while it writes (sqlite.org/walformat.html, "The WAL-Index File Format").
struct LogIndex: ~Copyable {
    /// The length of a copy, in words.
    private static let length = 6

    /// Keeps the memory where it is.
    private let connection: SQLiteConnection
    private let header: UnsafePointer<Atomic<UInt64>>
    private var last = [UInt64](repeating: 0, count: length)
    private var changes: Int64 = 0

    /// Nil if the database cannot be read now, or has no such log.
    init?(_ path: String) {
        guard let connection = try? SQLiteConnection(path, isReadOnly: true, busyTimeout: 0),
            // Reads the database, which makes the index.
            case .text("wal")? = try? connection.row("PRAGMA journal_mode")?.values.first,
            let memory = connection.logIndex
        else { return nil }
        self.connection = connection
        header = memory.assumingMemoryBound(to: Atomic<UInt64>.self)
    }

    /// A number that differs after every commit; nil while one is written.
    mutating func stamp() -> Int64? {
        for word in 0..<Self.length {
            let value = header[word].load(ordering: .acquiring)
            guard header[Self.length + word].load(ordering: .acquiring) == value else { return nil }
            guard last[word] != value else { continue }
            last[word] = value
            changes += 1
        }
        return changes
    }
}
