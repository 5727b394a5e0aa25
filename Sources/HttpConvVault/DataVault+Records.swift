internal import HttpConvConcurrency

extension DataVault {
    /// Runs reads and writes as one atomic transaction; throws the closure's error.
    ///
    /// All other writers wait while the closure runs: keep it short.
    public func transaction<T: Sendable>(_ body: @Sendable (DataVaultTransaction) throws -> T) async throws -> T {
        do {
            let path = connections.path
            let result = try await Waiting.during(
                "for the vault at \(path), which another process writes to or whose disk is slow",
                atMost: configuration.busyTimeout
            ) {
                try await self.connections.write { db in
                    configuration.failPoint?(.transactionBegun)
                    let result = try body(try DataVaultTransaction(db: db, vault: self))
                    configuration.failPoint?(.beforeCommit)
                    return result
                }
            }
            configuration.failPoint?(.committed)
            return result
        } catch {
            throw DatabaseFailure.translated(error, at: connections.path)
        }
    }

    /// Moves the write-ahead log into the database and truncates it, as far as it is not in use.
    func shrinkLog() async {
        try? await connections.writeWithoutTransaction { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") }
    }

    /// A number that differs after every commit to the vault, by any process; nil if it cannot be read now. Records
    /// read after it are at least that new. Cheap; does not wait.
    package var changeStamp: Int64? { changes.stamp }

    /// The record under a key.
    public func read(_ key: String, in collection: String) async throws(DataVaultError) -> DataVaultRecord? {
        try await reading { try $0.read(key, in: collection) }
    }

    /// The keys of a collection, in no particular order. Reads all of its records.
    public func keys(in collection: String) async throws(DataVaultError) -> [String] {
        try await reading { try $0.keys(in: collection) }
    }

    /// Stores a value, replacing the present one; returns its version.
    ///
    /// - Parameters:
    ///   - value: the value
    ///   - key: its name in the collection
    ///   - collection: the collection's name
    ///   - lease: throws `.leaseLost` if a newer one was granted.
    @discardableResult
    public func write(
        _ value: [UInt8], for key: String, in collection: String, under lease: DataVaultLease? = nil
    ) async throws(DataVaultError) -> Int64 {
        try await writing(under: lease) { try $0.write(value, for: key, in: collection) }
    }

    /// Stores a value if the record still has the expected version, else throws `.versionConflict`; nil expects no
    /// record.
    @discardableResult
    public func compareAndSwap(
        _ value: [UInt8], for key: String, in collection: String, expectedVersion: Int64?
    ) async throws(DataVaultError) -> Int64 {
        try await writing { try $0.compareAndSwap(value, for: key, in: collection, expectedVersion: expectedVersion) }
    }

    /// Removes a record; returns whether there was one.
    ///
    /// - Parameters:
    ///   - key: its name in the collection
    ///   - collection: the collection's name
    ///   - lease: throws `.leaseLost` if a newer one was granted.
    @discardableResult
    public func delete(
        _ key: String, in collection: String, under lease: DataVaultLease? = nil
    ) async throws(DataVaultError) -> Bool {
        try await writing(under: lease) { try $0.delete(key, in: collection) }
    }

    /// Removes all records of a collection; returns their number.
    @discardableResult
    public func deleteAll(in collection: String) async throws(DataVaultError) -> Int {
        try await writing { try $0.deleteAll(in: collection) }
    }

    func reading<T: Sendable>(
        _ body: @Sendable (DataVaultTransaction) throws -> T
    ) async throws(DataVaultError) -> T {
        do {
            return try await connections.read { db in try body(try DataVaultTransaction(db: db, vault: self)) }
        } catch {
            throw DatabaseFailure.error(error, at: connections.path)
        }
    }

    func writing<T: Sendable>(
        under lease: DataVaultLease? = nil, _ body: @Sendable (DataVaultTransaction) throws -> T
    ) async throws(DataVaultError) -> T {
        do {
            return try await transaction { transaction in
                if let lease { try transaction.require(lease) }
                return try body(transaction)
            }
        } catch {
            throw DatabaseFailure.error(error, at: connections.path)
        }
    }
}
