internal import Crypto

/// The key that opens a vault without its passcode, as long as the vault exists: 32 bytes for kernel memory or a
/// keychain, never for a file (rule S26).
public struct PasscodeVaultKey: Sendable {
    /// The number of bytes of a key.
    public static let byteCount = 32

    let key: SymmetricKey

    /// Creates a key from stored bytes.
    ///
    /// - Throws: ``PasscodeVaultError/Code/wrongKey`` for another number of bytes
    public init(bytes: [UInt8]) throws(PasscodeVaultError) {
        guard bytes.count == Self.byteCount else {
            throw PasscodeVaultError(
                .wrongKey,
                "The stored key has \(bytes.count) bytes instead of \(Self.byteCount): unlock with the passcode.")
        }
        key = SymmetricKey(data: bytes)
    }

    init(_ key: SymmetricKey) { self.key = key }

    static func random() -> PasscodeVaultKey { PasscodeVaultKey(SymmetricKey(size: .bits256)) }

    /// The bytes, for storing. They open the vault.
    public var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }
}

extension PasscodeVaultKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type's name, without the key.
    public var description: String { "PasscodeVaultKey" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
