internal import Crypto
internal import Foundation

/// Encrypts records and hides their names. Its keys come from the vault's secret, one for each purpose.
///
/// The secret is a data key. After a change of what opens the vault it is a new data key, and behind it the key that has
/// hidden names from the start: names are not in the files, so what stands in their places cannot be made anew.
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

    /// A secret with a new data key, by which names are in the same places.
    func nextSecret() -> SymmetricKey {
        let dataKey = SymmetricKey(size: .bits256)
        var bytes = dataKey.withUnsafeBytes { Array($0) }
        var both = bytes + indexKey.withUnsafeBytes { Array($0) }
        SecretBytes.wipe(&bytes)
        return SecretBytes.key(&both)
    }

    /// For tests.
    var keys: [SymmetricKey] { [sealingKey, indexKey] }

    private static func derive(_ purpose: String, _ key: SymmetricKey, _ vaultID: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: key, salt: vaultID, info: Array(purpose.utf8), outputByteCount: 32)
    }

    /// What stands in a table in place of a name that may be secret.
    func index(_ purpose: String, _ names: String...) -> [UInt8] {
        var encoding = ByteEncoding(purpose)
        for name in names { encoding.add(Array(name.utf8)) }
        return Array(HMAC<SHA256>.authenticationCode(for: encoding.bytes, using: indexKey))
    }

    /// Nonce, ciphertext and tag. A place is what the ciphertext is bound to: elsewhere it does not open.
    ///
    /// Nonces are random: good for 2^32 writes to one vault.
    func seal(_ content: [UInt8], at place: ByteEncoding) throws(DataVaultError) -> [UInt8] {
        do {
            let box = try AES.GCM.seal(content, using: sealingKey, authenticating: bound(place))
            // 12 bytes of nonce, the default, always have the combined form.
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw DataVaultError(.ioFailure, "Encryption failed.", underlyingError: error)
        }
    }

    /// The content, or nil where a bit of it or of its place is not what it was.
    func open(_ sealed: [UInt8], at place: ByteEncoding) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            var content = try? AES.GCM.open(box, using: sealingKey, authenticating: bound(place))
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
