#if PostgreSQL
internal import CPostgreSQL
internal import HttpConvConcurrency
internal import HttpConvPlatform
internal import HttpConversation

/// A connection to the database. It belongs to one thread at a time, and every wait has a limit.
///
/// Connecting blocks the thread. Statements use libpq's non-blocking interface.
struct PostgresConnection: ~Copyable {
    private let handle: OpaquePointer
    private let timeout: Duration
    private let failPoint: (@Sendable (PostgresStep) -> Bool)?

    /// Connects, and protects the session against objects that others may create.
    ///
    /// Blocks for at most `connect_timeout` at each address of each host, and for the configuration's timeout after
    /// that.
    static func open(
        _ parameters: ConnectionParameters, _ configuration: PostgresConfiguration
    ) throws(PostgresStorageError) -> PostgresConnection {
        _ = OpenSSLCleanup.isOff
        // The non-blocking functions ignore connect_timeout: they would never get past a silent host to the next one.
        guard let handle = parameters.withArrays({ PQconnectdbParams($0, $1, 0) }) ?? nil else {
            throw PostgresStorageError(.unavailable, "There is no memory for a connection to the database.")
        }
        let connection = PostgresConnection(handle: handle, configuration)
        try connection.prepare()
        return connection
    }

    private init(handle: OpaquePointer, _ configuration: PostgresConfiguration) {
        self.handle = handle
        timeout = configuration.timeout
        failPoint = configuration.failPoint
    }

    private func prepare() throws(PostgresStorageError) {
        guard PQstatus(handle) == CONNECTION_OK else { throw connectionFailure }
        // By default notices are printed on standard error. PQconnectdbParams has printed those before this line.
        PQsetNoticeReceiver(handle, { _, _ in }, nil)
        guard PQsetnonblocking(handle, 1) == 0 else { throw connectionFailure }
        // Names without a schema are PostgreSQL's own from here on, whatever others have created.
        _ = try run(.open, "SELECT pg_catalog.set_config('search_path', 'pg_catalog', false)")
        // A commit survives a crash of the database, even if its default is another one.
        let session = """
            SELECT set_config('lock_timeout', $1, false), \
            set_config('statement_timeout', $1, false), set_config('idle_in_transaction_session_timeout', $1, false), \
            CASE current_setting('synchronous_commit') WHEN 'off' THEN set_config('synchronous_commit', 'on', false) END
            """
        _ = try run(.open, session, [.text("\(timeout.wholeSeconds)s")])
    }

    deinit { PQfinish(handle) }

    /// Whether libpq has noticed that the connection is lost.
    var isLost: Bool { PQstatus(handle) == CONNECTION_BAD }

    /// Runs one statement.
    func run(
        _ statement: PostgresStatement, _ sql: String, _ arguments: [PostgresValue] = []
    ) throws(PostgresStorageError) -> PostgresRows {
        let deadline = ContinuousClock.now + timeout
        try reach(.init(statement, .beforeSend))
        guard PostgresValue.withArrays(arguments, { send(sql, $0, $1, $2) }) == 1 else { throw lost }
        try flush(until: deadline)
        try reach(.init(statement, .afterSend))
        var rows: PostgresRows?
        var failure: PostgresStorageError?
        while let result = try nextResult(until: deadline) {
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_TUPLES_OK, PGRES_COMMAND_OK: rows = PostgresRows(result)
            default: failure = PostgresFailure.error(result)
            }
        }
        if let failure { throw failure }
        guard let rows else { throw lost }
        try reach(.init(statement, .afterAnswer))
        return rows
    }

    private func send(
        _ sql: String, _ values: [UnsafePointer<CChar>?], _ lengths: [Int32], _ formats: [Int32]
    ) -> Int32 {
        PQsendQueryParams(handle, sql, Int32(clamping: values.count), nil, values, lengths, formats, 1)
    }

    private func flush(until deadline: ContinuousClock.Instant) throws(PostgresStorageError) {
        while true {
            switch PQflush(handle) {
            case 0: return
            case 1:
                try wait(for: POLLIN | POLLOUT, until: deadline)
                guard PQconsumeInput(handle) == 1 else { throw lost }
            default: throw lost
            }
        }
    }

    private func nextResult(until deadline: ContinuousClock.Instant) throws(PostgresStorageError) -> OpaquePointer? {
        while PQisBusy(handle) == 1 {
            try wait(for: POLLIN, until: deadline)
            guard PQconsumeInput(handle) == 1 else { throw lost }
        }
        return PQgetResult(handle)
    }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(PostgresStorageError) {
        guard try wait(for: events, until: deadline, wakingBy: -1) else {
            throw PostgresStorageError(
                .unavailable, "The database \(place) did not answer within \(timeout.wholeSeconds) s.")
        }
    }

    /// Waits on the connection's socket and another descriptor.
    ///
    /// - Returns: false if the deadline has passed
    func wait(
        for events: Int32, until deadline: ContinuousClock.Instant, wakingBy descriptor: Int32
    ) throws(PostgresStorageError) -> Bool {
        while true {
            let left = deadline - ContinuousClock.now
            guard left > .zero else { return false }
            var entries = [
                pollfd(fd: PQsocket(handle), events: Int16(truncatingIfNeeded: events), revents: 0),
                pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0),
            ]
            guard entries[0].fd >= 0 else { throw connectionFailure }
            // At most a minute at a time.
            if poll(&entries, 2, Int32(clamping: min(left.wholeMilliseconds, 60_000))) > 0 { return true }
        }
    }

    /// The payloads of the notifications that have arrived.
    func notifications() throws(PostgresStorageError) -> [String] {
        guard PQconsumeInput(handle) == 1 else { throw lost }
        var payloads: [String] = []
        while let notification = PQnotifies(handle) {
            if let payload = notification.pointee.extra { payloads.append(String(cString: payload)) }
            PQfreemem(notification)
        }
        return payloads
    }

    private func reach(_ step: PostgresStep) throws(PostgresStorageError) {
        guard let failPoint, failPoint(step) else { return }
        shutdown(PQsocket(handle), Int32(SHUT_RDWR))
    }

    /// Host and database, without user and password.
    private var place: String {
        let host = PQhost(handle).map { String(cString: $0) } ?? ""
        let database = PQdb(handle).map { String(cString: $0) } ?? ""
        return "\"\(TerminalText.sanitise(database, limit: 60))\" at \(TerminalText.sanitise(host, limit: 100))"
    }

    private var lost: PostgresStorageError {
        PostgresStorageError(
            .unavailable, "The connection to the database \(place) was lost. The operation is repeated on a new one.")
    }

    private var connectionFailure: PostgresStorageError {
        PostgresFailure.connectionError(handle, place: place)
    }
}
#endif
