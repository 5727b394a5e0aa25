#if PostgreSQL
public import HttpConvAuthFlows
internal import HttpConvConcurrency
internal import HttpConvPlatform
internal import HttpConvVault
internal import Synchronization

/// Keeps OAuth2 tokens in a ``PostgresTokenDatabase``: encrypted, and shared safely by all machines of a fleet.
///
/// Look-ups are served from memory, which notifications of the database keep current: another process's write is seen
/// within milliseconds, and at once under a lease. While the database cannot be reached, tokens in memory are still
/// used, but none are renewed, because no process can take a lease. With rotating refresh tokens a renewal that is not
/// stored would be lost.
///
/// A write that has begun is completed even if the calling task is cancelled. All operations throw
/// ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed`` with an underlying ``PostgresStorageError`` if the database
/// fails. An unreadable row is such an error, never "no tokens".
public final class PostgresTokenStorage: QuickTokenStorage, RemoteTokenStorage {
    /// The default collection.
    public static let defaultCollection = "oauth2-tokens"
    /// The longest duration of a lease: one hour. It is extended while the work runs.
    public static let maximumLeaseDuration = Duration.seconds(3600)

    /// The database with the tokens.
    public let database: PostgresTokenDatabase
    /// The collection for the tokens.
    public let collection: String
    private let rows: TokenRows
    private let entries = Mutex<[OAuth2TokenKey: TokenEntry]>([:])
    /// The leases under which a write failed, with the time of the last try: they are not released, and are extended
    /// while the write is repeated, so that nobody renews with the older tokens.
    private let kept = Mutex<[OAuth2Lease: ContinuousClock.Instant]>([:])
    /// More than the longest pause between two tries to write, and the time of a try.
    private static let longestPause = Duration.seconds(30)
    /// The longest time that a lease is extended for a write. A write that never succeeds must not stop other
    /// processes.
    private static let longestKeeping = Duration.seconds(600)

    /// Keeps tokens in a collection of a database.
    public init(_ database: PostgresTokenDatabase, collection: String = PostgresTokenStorage.defaultCollection) {
        self.database = database
        self.collection = collection
        rows = TokenRows(database, collection: collection)
    }

    /// Keeps the tokens of one user of a service, apart from those of all other users.
    ///
    /// - Parameters:
    ///   - database: the database
    ///   - user: an identifier that never changes and is never given to another user
    public convenience init(_ database: PostgresTokenDatabase, user: String) {
        self.init(database, collection: "\(Self.defaultCollection) of user \(user)")
    }

    package func tokensInMemory(for key: OAuth2TokenKey) -> OAuth2Tokens? {
        entries.withLock { $0[key] }?.current(in: database.changes.session)?.tokens
    }

    public func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        let entry = try entry(key)
        if let known = entry.current(in: database.changes.session) { return known.tokens }
        do { return try await rows.look(up: entry) } catch {
            throw Self.failure(error, to: "read the tokens of \(key)")
        }
    }

    public func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        let entry = try entry(key)
        let value = try tokens.map(Self.encode) ?? []
        // A task of its own: the caller's may be cancelled.
        let writing = Task { [rows] in try await rows.write(tokens, value, entry, under: lease?.fence) }
        do { try await writing.value } catch {
            if let lease {
                let isLost = (error as? PostgresStorageError)?.code == .leaseLost
                // A removal is not repeated, and ends the repetition of an older write.
                kept.withLock { $0[lease] = isLost || tokens == nil ? nil : .now }
            }
            throw Self.failure(error, to: "\(tokens == nil ? "remove" : "save") the tokens of \(key)")
        }
        if let lease, kept.withLock({ $0.removeValue(forKey: lease) }) != nil { await release(lease) }
    }

    public func removeAllTokens() async throws {
        let known = entries.withLock { Array($0.values) }
        let removing = Task { [rows] in try await rows.removeAll(known) }
        do { try await removing.value } catch { throw Self.failure(error, to: "remove all tokens") }
    }

    /// Runs work with the exclusive right to refresh the tokens under a key, among all processes that share the
    /// database.
    ///
    /// Leases end by the database's clock. The duration is limited to ``maximumLeaseDuration``.
    ///
    /// - Parameters:
    ///   - key: the key of the tokens
    ///   - duration: the duration of the lease
    ///   - look: called while another holder has the lease; a result ends the wait
    ///   - work: gets the lease
    /// - Throws: ``/HttpConvAuthFlows/OAuth2Error/Code/storageFailed``; the errors of the closures
    public func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        try await withLease(for: key, duration: duration, isUrgent: true, until: look, work)
    }

    package func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, isUrgent: Bool, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        var wait = LeaseRequests(try entry(key))
        do {
            return try await LeasedWork.run(waitingFor: "for another process that gets tokens of \(key)") {
                try await requestLease(key, duration, isUrgent: isUrgent)
            } wait: {
                if let outcome = try await look() { return outcome }
                try await wait.pause()
                return try await look()
            } extend: { lease in
                try await Task.sleep(for: duration / 3)
                try await self.extendInTime(lease, duration)
            } release: { lease in
                let isKept = self.kept.withLock { $0[lease] } != nil
                if isKept { self.extendWhileKept(lease, duration) } else { await self.release(lease) }
            } _: {
                try await work($0)
            }
        } catch { throw Self.failure(error, to: "lease the tokens of \(key)") }
    }

    /// Requests the lease once; nil if it is held.
    ///
    /// - Parameter isUrgent: whether to wait for a database that is away
    func requestLease(
        _ key: OAuth2TokenKey, _ duration: Duration, isUrgent: Bool = true
    ) async throws -> OAuth2Lease? {
        let fence = try await rows.acquire(
            try entry(key), milliseconds: Self.milliseconds(duration), isUrgent: isUrgent)
        return fence.flatMap { UInt64(exactly: $0) }.map { OAuth2Lease(key: key, fence: $0) }
    }

    /// Extends a lease to a duration from now; throws `.leaseLost`.
    func extend(_ lease: OAuth2Lease, _ duration: Duration) async throws {
        do {
            try await rows.extend(
                try entry(lease.key), fence: lease.fence, milliseconds: try Self.milliseconds(duration))
        } catch { throw Self.failure(error, to: "extend the lease on the tokens of \(lease.key)") }
    }

    /// If the database cannot be reached right now, the next extension may still be in time.
    private func extendInTime(_ lease: OAuth2Lease, _ duration: Duration) async throws {
        do { try await extend(lease, duration) } catch let error as OAuth2Error {
            if error.code == .leaseLost || database.pool.isClosed { throw error }
        }
    }

    /// Whether a write under a lease has failed and is being repeated.
    private func isBeingWritten(_ lease: OAuth2Lease) -> Bool {
        kept.withLock { $0[lease] }.map { .now - $0 < Self.longestPause + database.configuration.patience } ?? false
    }

    /// Extends a lease after the work under it, until its write succeeds or is no longer repeated, and for ten minutes
    /// at most. A database that is away for longer than the lease gives it to others all the same.
    private func extendWhileKept(_ lease: OAuth2Lease, _ duration: Duration) {
        let end = ContinuousClock.now + Self.longestKeeping
        Task { [weak self] in
            while (try? await Task.sleep(for: duration / 3)) != nil, .now < end, let self, self.isBeingWritten(lease) {
                do { try await self.extendInTime(lease, duration) } catch { break }
            }
            self?.kept.withLock { $0[lease] = nil }
        }
    }

    /// Releases a lease. If that fails for long, the lease expires.
    func release(_ lease: OAuth2Lease) async {
        guard let entry = try? entry(lease.key) else { return }
        do { try await rows.release(entry, fence: lease.fence, patience: .zero) } catch {
            // The caller has its tokens and does not wait for a database that is away.
            Task { [rows, patience = database.configuration.patience] in
                try? await rows.release(entry, fence: lease.fence, patience: patience)
            }
        }
    }

    private func entry(_ key: OAuth2TokenKey) throws -> TokenEntry {
        if let entry = entries.withLock({ $0[key] }) { return entry }
        let text = key.text
        guard text.utf8.count <= DataVault.maximumKeySize else {
            throw Self.failure(PostgresStorageError(.tooLarge, "The storage key is too long."), to: "use a key")
        }
        let entry = database.entry(rows.place(text), key: text)
        entries.withLock { entries in
            if entries.count >= database.configuration.cachedKeys { entries.removeAll() }
            entries[key] = entry
        }
        return entry
    }

    private static func milliseconds(_ duration: Duration) throws(PostgresStorageError) -> Int64 {
        guard duration > .zero else {
            throw PostgresStorageError(
                .invalidConfiguration, "The duration of a lease must be more than zero.")
        }
        return min(duration, maximumLeaseDuration).wholeMilliseconds
    }

    private static func encode(_ tokens: OAuth2Tokens) throws -> [UInt8] {
        // The coder's own error may quote the tokens.
        guard let value = try? JSONEncoder().encode(tokens) else {
            throw failure(
                PostgresStorageError(.failed, "The tokens cannot be written as JSON: is a date not finite?"),
                to: "save tokens")
        }
        return Array(value)
    }

    /// The storage's error for a failed operation.
    ///
    /// - Parameter wish: the operation, such as "read the tokens of …"; no secret
    static func failure(_ error: any Error, to wish: String) -> any Error {
        guard let error = error as? PostgresStorageError else { return error }
        guard error.code != .leaseLost else {
            return OAuth2Error(
                .leaseLost, "Could not \(wish): another process has the lease. Nothing was changed.",
                underlyingError: error)
        }
        return OAuth2Error(.storageFailed, "The database could not \(wish): \(error.message)", underlyingError: error)
    }
}

extension PostgresTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The database, without its content.
    public var description: String { "PostgresTokenStorage in \(database)" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}

extension PostgresStorageError: TokenStorageError {
    package var codeName: String { code.description }
}

/// The pauses between two requests for a lease: they end early when the row has changed, as after a release.
private struct LeaseRequests {
    private let entry: TokenEntry
    private var longest = Duration.milliseconds(100)

    init(_ entry: TokenEntry) { self.entry = entry }

    mutating func pause() async throws {
        let before = entry.changes
        let start = ContinuousClock.now
        var step = Duration.milliseconds(10)
        let length = longest * Double.random(in: 0.5...1.5)
        while ContinuousClock.now - start < length, entry.changes == before {
            try await Task.sleep(for: step)
            step = min(step * 2, .milliseconds(100))
        }
        longest = min(longest * 2, .seconds(1))
    }
}
#endif
