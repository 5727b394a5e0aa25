internal import Crypto
internal import HttpConvPlatform

/// The file that releases the vault's key to the passcode. Without a passcode it releases the key to anyone who can
/// read the file.
struct PasscodeSlot: Codable, Equatable {
    static let fileName = "passcode.slot"
    /// The slot of a new passcode; it counts as soon as the database has the key that it releases.
    static let nextFileName = "passcode.slot.next"
    private static let format = 1
    /// The maximum size of a file; slots that we write are smaller.
    private static let limit = 16 << 10

    private let format: Int
    /// The vault's id; it never changes.
    let vaultID: [UInt8]
    /// The passcode's id; each passcode has its own.
    let id: [UInt8]
    private let wrapped: KeySlot?
    private let open: [UInt8]?
    /// The mark of the database's key that this slot was made for; nil: the database's first key.
    private(set) var databaseMark: [UInt8]?

    /// A new slot for a key. Slow with a passcode.
    init(
        _ key: PasscodeVaultKey, passcode: String?, scrypt: ScryptParameters?, vaultID: [UInt8]
    ) throws(DataVaultError) {
        format = Self.format
        self.vaultID = vaultID
        id = Self.randomID()
        if let passcode {
            wrapped = try KeySlot(
                wrapping: key.key, under: .passcode(passcode, scrypt: scrypt ?? .standard), vaultID: vaultID + id)
            open = nil
        } else {
            (wrapped, open) = (nil, key.bytes)
        }
    }

    /// A copy for a database that is about to get another key.
    func copy(forDatabaseMark mark: [UInt8]) -> PasscodeSlot {
        var slot = self
        slot.databaseMark = mark
        return slot
    }

    static func randomID() -> [UInt8] { RandomBytes.make(16) }

    /// Whether the vault has a passcode.
    var hasPasscode: Bool { wrapped != nil }

    /// The vault's key; nil if the passcode is wrong. Slow with a passcode.
    func key(passcode: String?) throws -> PasscodeVaultKey? {
        guard let wrapped else { return try PasscodeVaultKey(bytes: open ?? []) }
        guard let passcode else { return nil }
        do {
            // The slot's own cost applies, not this one.
            let key = try wrapped.unwrap(with: .passcode(passcode, scrypt: .standard), vaultID: vaultID + id)
            return key.bitCount == 8 * PasscodeVaultKey.byteCount ? PasscodeVaultKey(key) : nil
        } catch {
            guard error.code == .wrongKey else { throw error }
            return nil
        }
    }
}

extension PasscodeSlot {
    /// The result of looking for a slot.
    enum Found {
        case none
        /// An overwritten file: a wipe was interrupted.
        case overwritten
        case slot(PasscodeSlot)
    }

    static func load(_ fileName: String = fileName, from directory: borrowing VaultDirectory) throws -> Found {
        guard let bytes = try directory.read(fileName, upTo: limit) else { return .none }
        guard let found = try read(bytes) else {
            throw PasscodeVaultFailure.damaged("\(directory.path)/\(fileName) cannot be read")
        }
        return found
    }

    /// The slot in a file's bytes; nil if they are damaged.
    static func read(_ bytes: [UInt8]) throws(PasscodeVaultError) -> Found? {
        if !bytes.isEmpty, bytes.allSatisfy({ $0 == 0 }) { return .overwritten }
        guard let slot = try? JSONDecoder().decode(PasscodeSlot.self, from: Data(bytes)),
            slot.vaultID.count == 16, slot.id.count == 16,
            (slot.wrapped == nil) != (slot.open == nil), slot.wrapped.map({ $0.kind == .passcode }) ?? true
        else { return nil }
        guard slot.format == Self.format else {
            throw PasscodeVaultError(
                .unsupportedFormat, "The vault has format \(slot.format); use a newer version of this program.")
        }
        return .slot(slot)
    }

    var encoded: [UInt8] { get throws { Array(try JSONEncoder().encode(self)) } }
}
