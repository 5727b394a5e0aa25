internal import Crypto
internal import Foundation

/// Encrypts records and hides their names. Its keys come from the data key, one for each purpose.
struct VaultCipher: Sendable {
    private let vaultID: [UInt8]
    private let sealingKey: SymmetricKey
    private let indexKey: SymmetricKey

    init(dataKey: SymmetricKey, vaultID: [UInt8]) {
        self.vaultID = vaultID
        sealingKey = Self.derive("DataVault record sealing", dataKey, vaultID)
        indexKey = Self.derive("DataVault row index", dataKey, vaultID)
    }

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
            let content = try? AES.GCM.open(box, using: sealingKey, authenticating: bound(place))
        else { return nil }
        return Array(content)
    }

    private func bound(_ place: ByteEncoding) -> [UInt8] {
        var encoding = ByteEncoding("DataVault place")
        encoding.add(vaultID)
        encoding.add(place.bytes)
        return encoding.bytes
    }
}
