internal import Crypto
import HttpConvPlatform

/// A key for records in the vault's format, in a store that many machines share, such as a database.
///
/// It is derived from a ``DataVaultKey`` and is nowhere stored. Only the key for names is in the store, wrapped in a
/// slot for each key of the application, because names must stay the same under all of them.
package struct SharedRecordKey: Sendable {
    /// The place of a key in the store.
    package struct Slot: Equatable, Sendable {
        /// The slot's identity, 32 random bytes.
        package let mark: [UInt8]
        /// The key for names, wrapped by the application's key.
        package let wrapped: [UInt8]

        package init(mark: [UInt8], wrapped: [UInt8]) { (self.mark, self.wrapped) = (mark, wrapped) }
    }

    /// The mark of the slot, which stands beside each record that was sealed under this key.
    package let mark: [UInt8]
    private let cipher: VaultCipher
    private let namesKey: SymmetricKey

    /// The size of a store's id.
    package static let storeIDSize = 16

    /// A random id for a new store.
    package static func randomStoreID() -> [UInt8] { RandomBytes.make(storeIDSize) }

    /// A new random number that nobody can guess.
    package static func nonce() -> [UInt8] { RandomBytes.make(16) }

    /// A key for a new store, with its slot.
    package static func first(
        _ key: DataVaultKey, storeID: [UInt8]
    ) throws(DataVaultError) -> (key: SharedRecordKey, slot: Slot) {
        try wrap(SymmetricKey(size: .bits256), under: key, storeID)
    }

    /// Opens a slot.
    ///
    /// - Throws: `.wrongKey` if it belongs to another key
    package init(opening slot: Slot, with key: DataVaultKey, storeID: [UInt8]) throws(DataVaultError) {
        let stored = KeySlot(kind: .bytes, salt: slot.mark, scrypt: nil, wrapped: slot.wrapped)
        try self.init(
            names: try stored.unwrap(with: key, vaultID: storeID), key: key, mark: slot.mark, storeID: storeID)
    }

    private init(
        names: SymmetricKey, key: DataVaultKey, mark: [UInt8], storeID: [UInt8]
    ) throws(DataVaultError) {
        self.mark = mark
        namesKey = names
        cipher = VaultCipher(
            VaultCipher.secret(of: try Self.sealingKey(from: key, mark, storeID), names), vaultID: storeID)
    }

    /// The same names under another key of the application, with its slot.
    package func next(
        _ key: DataVaultKey, storeID: [UInt8]
    ) throws(DataVaultError) -> (key: SharedRecordKey, slot: Slot) {
        try Self.wrap(namesKey, under: key, storeID)
    }

    private static func wrap(
        _ names: SymmetricKey, under key: DataVaultKey, _ storeID: [UInt8]
    ) throws(DataVaultError) -> (key: SharedRecordKey, slot: Slot) {
        let stored = try KeySlot(wrapping: names, under: key, vaultID: storeID)
        let made = try SharedRecordKey(names: names, key: key, mark: stored.mark, storeID: storeID)
        return (made, Slot(mark: stored.mark, wrapped: stored.wrapped))
    }

    private static func sealingKey(
        from key: DataVaultKey, _ mark: [UInt8], _ storeID: [UInt8]
    ) throws(DataVaultError) -> SymmetricKey {
        guard case .bytes(let bytes) = key.material else {
            throw DataVaultError(.keyUnusable, "A store of many machines needs a key of random bytes, not a passcode.")
        }
        return HKDF<SHA256>.deriveKey(
            inputKeyMaterial: bytes, salt: storeID + mark, info: Array("DataVault shared records".utf8),
            outputByteCount: VaultCipher.keySize)
    }

    /// The hash that stands in the store for a name, which may be secret: 32 bytes.
    package func index(_ purpose: String, _ names: String...) -> [UInt8] { cipher.index(purpose, names) }

    /// Encrypts a value. The record opens only at its place: table, name, fence and version.
    package func seal(_ value: [UInt8], for key: String, at place: SharedRecordPlace) throws(DataVaultError) -> [UInt8]
    {
        try cipher.seal(SealedRecord(key: key, value: value).content, at: place.encoding)
    }

    /// The key and value of a record; nil if it or its place was changed.
    package func open(_ sealed: [UInt8], at place: SharedRecordPlace) -> (key: String, value: [UInt8])? {
        guard var content = cipher.open(sealed, at: place.encoding) else { return nil }
        defer { SecretBytes.wipe(&content) }
        return SealedRecord(content: content).map { ($0.key, $0.value) }
    }
}

/// The place to which a record is bound.
package struct SharedRecordPlace: Sendable {
    let encoding: ByteEncoding

    /// - Parameters:
    ///   - table: the name of the table
    ///   - name: the hash of the record's key
    ///   - fence: the fence of the lease under which the record was written
    ///   - version: the number of the record's writes
    package init(table: String, name: [UInt8], fence: Int64, version: Int64) {
        var place = ByteEncoding("shared record")
        place.add(Array(table.utf8))
        place.add(name)
        place.add(fence)
        place.add(version)
        encoding = place
    }
}
