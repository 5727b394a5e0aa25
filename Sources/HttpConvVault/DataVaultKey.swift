internal import Crypto
import HttpConvFormats
internal import HttpConvPlatform

/// The key of a vault: a passcode that a person knows, or a key of 32 random bytes for unattended use.
///
/// It wraps the vault's data key and never encrypts a record itself. Its descriptions reveal nothing of it.
public struct DataVaultKey: Sendable {
    enum Material: Sendable {
        case passcode(SymmetricKey, ScryptParameters)
        case bytes(SymmetricKey)
    }

    let material: Material

    /// A passcode. It is normalised (NFC), so that the same characters typed on another system are the same passcode.
    ///
    /// - Parameters:
    ///   - passcode: the passcode as typed
    ///   - scrypt: the cost for a vault that is created or whose passcode is changed; an existing vault is opened with
    ///     the parameters that it stores.
    /// - Throws: `.keyUnusable` for an empty one.
    public static func passcode(
        _ passcode: String, scrypt: ScryptParameters = .standard
    ) throws(DataVaultError) -> DataVaultKey {
        let bytes = Array(passcode.canonicallyComposed.utf8)
        guard !bytes.isEmpty else { throw DataVaultError(.keyUnusable, "The passcode is empty.") }
        return DataVaultKey(material: .passcode(SymmetricKey(data: bytes), scrypt))
    }

    /// A key from a keyring or another source of the application: 32 to 1024 random bytes.
    ///
    /// - Throws: `.keyUnusable` for fewer or more.
    public static func bytes(_ bytes: [UInt8]) throws(DataVaultError) -> DataVaultKey {
        guard (32...1024).contains(bytes.count) else {
            throw DataVaultError(.keyUnusable, "A vault key has 32 to 1024 bytes; this one has \(bytes.count).")
        }
        return DataVaultKey(material: .bytes(SymmetricKey(data: bytes)))
    }

    /// Wraps a key in memory without copying its bytes.
    init(_ key: SymmetricKey) { material = .bytes(key) }

    init(material: Material) { self.material = material }

    /// A new random key, for tests.
    static func random() -> DataVaultKey {
        DataVaultKey(material: .bytes(SymmetricKey(size: .bits256)))
    }

    /// A key from text: 64 hexadecimal digits, or base64 (also base64url) of at least 32 bytes; surrounding white space
    /// is ignored.
    static func text(_ text: String, from source: String) throws(DataVaultError) -> DataVaultKey {
        let text = String(text.trimmingBlanks)
        guard let bytes = KeyText.bytes(of: text), (32...1024).contains(bytes.count) else {
            throw DataVaultError(
                .keyUnusable,
                "\(source) holds no vault key: 64 hexadecimal digits, or base64 of 32 bytes, are expected.")
        }
        return try .bytes(bytes)
    }
}

extension DataVaultKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the key, and nothing else.
    public var description: String {
        switch material {
        case .passcode: "DataVaultKey(passcode)"
        case .bytes: "DataVaultKey(bytes)"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Keys as text.
enum KeyText {
    static func bytes(of text: String) -> [UInt8]? {
        hexadecimal(text) ?? base64(text)
    }

    private static func hexadecimal(_ text: String) -> [UInt8]? {
        let digits = text.utf8.compactMap(\.hexDigit)
        guard digits.count == 64, text.utf8.count == 64 else { return nil }
        return stride(from: 0, to: 64, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    private static func base64(_ text: String) -> [UInt8]? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0, !text.hasSuffix("==") { text.append("=") }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
