#if PostgreSQL
internal import Dispatch
internal import HttpConvConcurrency
internal import HttpConvPlatform
internal import HttpConvSystem
internal import Synchronization

/// Listens for changes of rows (`LISTEN`) on a connection and a thread of its own.
///
/// While it listens, cached rows are current. Each connection is a new session: rows that were read in an earlier one
/// may have changed unseen.
final class ChangeListener: Sendable {
    private let pool: PostgresPool
    private let channel: String
    private let wake: WakePipe
    private let isStopped = Atomic(false)
    private let sessions = Atomic(0)
    private let current = Atomic(0)
    private let changed: @Sendable (String) -> Void
    /// A connection that has ended silently is found by a question after this time.
    private let heartbeat: Duration

    /// - Parameter changed: gets the payload of each notification
    init(
        _ pool: PostgresPool, channel: String, heartbeat: Duration, changed: @escaping @Sendable (String) -> Void
    ) throws(PostgresStorageError) {
        guard let wake = WakePipe() else {
            throw PostgresStorageError(.failed, "There is no file descriptor left for the database's listener.")
        }
        (self.pool, self.channel, self.wake, self.changed) = (pool, channel, wake, changed)
        self.heartbeat = heartbeat
        DispatchQueue(label: "httpconv-postgres").async { [self] in run() }
    }

    /// The present session; 0 while the database cannot be heard.
    var session: Int { current.load(ordering: .acquiring) }

    /// Ends the thread. The listener is kept until then.
    func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.wake()
    }

    private func run() {
        var failures = 0
        while !isStopped.load(ordering: .acquiring) {
            let start = ContinuousClock.now
            var isListening = false
            do throws(PostgresStorageError) {
                let connection = try pool.connect()
                _ = try connection.run(.listen, "LISTEN \(channel)")
                failures = 0
                pool.noteSuccess()
                current.store(sessions.add(1, ordering: .relaxed).newValue, ordering: .releasing)
                isListening = true
                try listen(connection)
            } catch {
                failures += 1
                // The end of a connection says nothing about the database; the next connection will.
                if !isListening, error.isTemporary { pool.note(error, since: start) }
            }
            current.store(0, ordering: .releasing)
            wake.wait(for: RetryPause.after(failures: failures))
        }
    }

    private func listen(_ connection: borrowing PostgresConnection) throws(PostgresStorageError) {
        while !isStopped.load(ordering: .acquiring) {
            let deadline = ContinuousClock.now + heartbeat
            if try !connection.wait(for: POLLIN, until: deadline, wakingBy: wake.descriptor) { try ask(connection) }
            for payload in try connection.notifications() { changed(payload) }
        }
    }

    /// Checks that the database still answers.
    private func ask(_ connection: borrowing PostgresConnection) throws(PostgresStorageError) {
        let start = ContinuousClock.now
        do throws(PostgresStorageError) { _ = try connection.run(.listen, "SELECT 1") } catch {
            if !connection.isLost, error.isTemporary { pool.note(error, since: start) }
            throw error
        }
    }
}

/// A pipe whose other end ends a wait.
private final class WakePipe: Sendable {
    let descriptor: Int32
    private let writing: Int32

    init?() {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        (descriptor, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
        close(descriptor)
        close(writing)
    }

    func wake() { _ = SystemCalls.writeAll(writing, [0]) }

    func wait(for duration: Duration) {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        _ = poll(&entry, 1, Int32(clamping: duration.wholeMilliseconds))
    }
}
#endif
