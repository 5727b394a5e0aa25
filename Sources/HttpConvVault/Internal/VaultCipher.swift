internal import Crypto
internal import HttpConvPlatform

/// Encrypts records and hides their names. Its keys are derived from the vault's secret, one for each purpose.
///
/// The secret is a data key. After a change of the vault's key it is a new data key, followed by the first key for
/// names. That key stays: the files do not hold the names, so their hashes cannot be computed anew.
struct VaultCipher: Sendable {
    private let vaultID: [UInt8]
    private let sealingKey: SymmetricKey
    private let indexKey: SymmetricKey

    /// The size of each key, in bytes.
    static let keySize = 32

    init(_ secret: SymmetricKey, vaultID: [UInt8]) {
        self.vaultID = vaultID
        let (dataKey, indexKey) = secret.withUnsafeBytes { bytes -> (SymmetricKey, SymmetricKey?) in
            var first = Array(bytes.prefix(Self.keySize))
            var rest = Array(bytes.dropFirst(Self.keySize))
            return (SecretBytes.key(&first), rest.isEmpty ? nil : SecretBytes.key(&rest))
        }
        sealingKey = Self.derive("DataVault record sealing", dataKey, vaultID)
        self.indexKey = indexKey ?? Self.derive("DataVault row index", dataKey, vaultID)
    }

    /// A secret with a new data key and the same key for names.
    func nextSecret() -> SymmetricKey {
        Self.secret(of: SymmetricKey(size: .bits256), indexKey)
    }

    /// The secret of a data key and a key for names.
    static func secret(of dataKey: SymmetricKey, _ indexKey: SymmetricKey) -> SymmetricKey {
        var bytes = dataKey.withUnsafeBytes { Array($0) }
        var both = bytes + indexKey.withUnsafeBytes { Array($0) }
        SecretBytes.wipe(&bytes)
        return SecretBytes.key(&both)
    }

    /// The keys, for tests.
    var keys: [SymmetricKey] { [sealingKey, indexKey] }

    private static func derive(_ purpose: String, _ key: SymmetricKey, _ vaultID: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: vaultID, info: Array(purpose.utf8), outputByteCount: 32)
    }

    /// The hash that stands in a table for a name, which may be secret.
    func index(_ purpose: String, _ names: String...) -> [UInt8] { index(purpose, names) }

    func index(_ purpose: String, _ names: [String]) -> [UInt8] {
        var encoding = ByteEncoding(purpose)
        for name in names { encoding.add(Array(name.utf8)) }
        return Array(HMAC<SHA256>.authenticationCode(for: encoding.bytes, using: indexKey))
    }

    /// Encrypts content: nonce, ciphertext and tag. The ciphertext is bound to a place, and opens only there.
    ///
    /// Nonces are random, which suffices for 2^32 writes to one vault.
    func seal(_ content: [UInt8], at place: ByteEncoding) throws(DataVaultError) -> [UInt8] {
        try AuthenticatedEncryption.seal(content, using: sealingKey, authenticating: bound(place))
    }

    /// Decrypts content; nil if it or its place was changed.
    func open(_ sealed: [UInt8], at place: ByteEncoding) -> [UInt8]? {
        guard
            var content = AuthenticatedEncryption.open(sealed, using: sealingKey, authenticating: bound(place))
        else { return nil }
        defer { SecretBytes.wipe(&content) }
        return Array(content)
    }

    private func bound(_ place: ByteEncoding) -> [UInt8] {
        var encoding = ByteEncoding("DataVault place")
        encoding.add(vaultID)
        encoding.add(place.bytes)
        return encoding.bytes
    }
}
