#if PostgreSQL
internal import HttpConvVault

/// The application's keys as this storage uses them: the present one seals, all of them open.
struct StorageKeyring: Sendable {
    /// The application's keys; the first is the present one.
    private let keys: [DataVaultKey]
    private let id: [UInt8]
    private let opened: [[UInt8]: SharedRecordKey]
    /// The present key; nil if it has no slot yet.
    let present: SharedRecordKey?

    /// Opens the key slots of a storage.
    ///
    /// - Throws: `.wrongKey` if there are slots, and none belongs to these keys
    init(_ keys: [DataVaultKey], id: [UInt8], slots: [SharedRecordKey.Slot]) throws(PostgresStorageError) {
        var opened: [[UInt8]: SharedRecordKey] = [:]
        var present: SharedRecordKey?
        for (index, key) in keys.enumerated() {
            for slot in slots {
                guard let found = try Self.open(slot, with: key, id) else { continue }
                opened[found.mark] = found
                if index == 0, present == nil { present = found }
            }
        }
        guard slots.isEmpty || !opened.isEmpty else {
            throw PostgresStorageError(
                .wrongKey, "The key is not one of this storage. Start the process with the key that the others have.")
        }
        (self.keys, self.id, self.opened, self.present) = (keys, id, opened, present)
    }

    private static func open(
        _ slot: SharedRecordKey.Slot, with key: DataVaultKey, _ id: [UInt8]
    ) throws(PostgresStorageError) -> SharedRecordKey? {
        do throws(DataVaultError) { return try SharedRecordKey(opening: slot, with: key, storeID: id) } catch {
            if error.code == .wrongKey { return nil }
            throw PostgresStorageError(.keyUnusable, error.message, underlyingError: error)
        }
    }

    /// A slot for the present key: with the names of the other keys, or with new ones in a new storage.
    func slotForPresentKey() throws(PostgresStorageError) -> SharedRecordKey.Slot {
        guard let key = keys.first else { throw PostgresStorageError(.keyUnusable, "There is no key.") }
        do throws(DataVaultError) {
            if let known = opened.values.first { return try known.next(key, storeID: id).slot }
            return try SharedRecordKey.first(key, storeID: id).slot
        } catch { throw PostgresStorageError(.keyUnusable, error.message, underlyingError: error) }
    }

    /// The same keys with the slots that the storage has now.
    func reloaded(_ slots: [SharedRecordKey.Slot]) throws(PostgresStorageError) -> StorageKeyring {
        try StorageKeyring(keys, id: id, slots: slots)
    }

    /// The key of a row; nil if this process does not have it.
    func knownKey(_ mark: [UInt8]) -> SharedRecordKey? { opened[mark] }

    /// The key of a row; throws `.wrongKey`.
    func key(_ mark: [UInt8]) throws(PostgresStorageError) -> SharedRecordKey {
        guard let key = knownKey(mark) else {
            throw PostgresStorageError(
                .wrongKey,
                "A row was written under a key that this process does not have. Start it with all keys of the storage.")
        }
        return key
    }

    /// The present key; throws `.keyRetired`.
    func presentKey() throws(PostgresStorageError) -> SharedRecordKey {
        guard let present else {
            throw PostgresStorageError(
                .keyRetired, "The key of this process was retired: start it with the present key.")
        }
        return present
    }
}
#endif
