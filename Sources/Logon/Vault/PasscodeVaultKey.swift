internal import Crypto

/// What opens a vault without its passcode, as long as the vault exists: 32 bytes for kernel memory or a keychain, never
/// for a file (rule S26).
public struct PasscodeVaultKey: Sendable {
    /// How many bytes a key has.
    public static let byteCount = 32

    let key: SymmetricKey

    /// A key that was kept.
    ///
    /// - Throws: ``PasscodeVaultError/Code/wrongKey`` for another number of bytes
    public init(bytes: [UInt8]) throws(PasscodeVaultError) {
        guard bytes.count == Self.byteCount else {
            throw PasscodeVaultError(.wrongKey, "A vault's key has \(Self.byteCount) bytes; what was kept is none.")
        }
        key = SymmetricKey(data: bytes)
    }

    init(_ key: SymmetricKey) { self.key = key }

    static func random() -> PasscodeVaultKey { PasscodeVaultKey(SymmetricKey(size: .bits256)) }

    /// The bytes, to be kept. They open the vault.
    public var bytes: [UInt8] { key.withUnsafeBytes { Array($0) } }
}

extension PasscodeVaultKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Nothing of the key.
    public var description: String { "PasscodeVaultKey" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
