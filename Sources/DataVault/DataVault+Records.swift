internal import GRDB
internal import HttpConvConcurrency

extension DataVault {
    /// Does several things together or not at all, seen by others all at once; throws what the closure throws.
    ///
    /// The closure runs while everybody else who writes waits: keep it short.
    public func transaction<T: Sendable>(_ body: @Sendable (DataVaultTransaction) throws -> T) async throws -> T {
        do {
            let path = pool.path
            let result = try await Waiting.during(
                "for another process that writes to the vault at \(path)", atMost: options.busyTimeout
            ) {
                try await self.pool.write { db in
                    options.failPoint?(.transactionBegun)
                    let result = try body(try DataVaultTransaction(db: db, vault: self))
                    options.failPoint?(.beforeCommit)
                    return result
                }
            }
            options.failPoint?(.committed)
            return result
        } catch {
            throw VaultErrors.translated(error, at: pool.path)
        }
    }

    /// Moves the write-ahead log into the database and gives its space back, as far as nobody is using it now.
    func shrinkLog() async {
        try? await pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
    }

    /// What is read after this was asked is not older than the commit that the number stands for: as long as the number
    /// is the same, nobody has written anything since. Nil where that cannot be told. Cheap; does not wait.
    package var changeStamp: Int64? { changes.stamp }

    /// The record under a key.
    public func read(_ key: String, in collection: String) async throws(DataVaultError) -> DataVaultRecord? {
        try await reading { try $0.read(key, in: collection) }
    }

    /// The keys of a collection, in no particular order. Reads all of its records.
    public func keys(in collection: String) async throws(DataVaultError) -> [String] {
        try await reading { try $0.keys(in: collection) }
    }

    /// Stores a value in place of what is there; returns its version.
    ///
    /// - Parameters:
    ///   - value: what is stored
    ///   - key: its name in the collection
    ///   - collection: the records that it is one of
    ///   - lease: `.leaseLost` is thrown where a newer one was given out.
    @discardableResult
    public func write(
        _ value: [UInt8], for key: String, in collection: String, under lease: DataVaultLease? = nil
    ) async throws(DataVaultError) -> Int64 {
        try await writing(under: lease) { try $0.write(value, for: key, in: collection) }
    }

    /// Stores a value if the record still has a version, else throws `.versionConflict`; nil stands for "there is none".
    @discardableResult
    public func compareAndSwap(
        _ value: [UInt8], for key: String, in collection: String, expectedVersion: Int64?
    ) async throws(DataVaultError) -> Int64 {
        try await writing { try $0.compareAndSwap(value, for: key, in: collection, expectedVersion: expectedVersion) }
    }

    /// Removes a record; says whether there was one.
    ///
    /// - Parameters:
    ///   - key: its name in the collection
    ///   - collection: the records that it is one of
    ///   - lease: `.leaseLost` is thrown where a newer one was given out.
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
            return try await pool.read { db in try body(try DataVaultTransaction(db: db, vault: self)) }
        } catch {
            throw VaultErrors.error(error, at: pool.path)
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
            throw VaultErrors.error(error, at: pool.path)
        }
    }
}
