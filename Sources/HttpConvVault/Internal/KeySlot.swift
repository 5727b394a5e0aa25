internal import Crypto
internal import HttpConvPlatform

/// A secret, such as a vault's data key, wrapped by a key that is derived from a passcode or from bytes.
///
/// Everything beside the ciphertext (vault, format, kind, salt, cost) is authenticated with it.
struct KeySlot: Equatable, Sendable {
    enum Kind: Int64, Sendable {
        case passcode = 1
        case bytes = 2
    }

    let kind: Kind
    let salt: [UInt8]
    /// Only for a passcode.
    let scrypt: ScryptParameters?
    let wrapped: [UInt8]

    /// The slot's identity; each slot has its own.
    var mark: [UInt8] { salt }

    /// Wraps a secret under a key, with a new salt. Slow with a passcode.
    init(wrapping secret: SymmetricKey, under key: DataVaultKey, vaultID: [UInt8]) throws(DataVaultError) {
        salt = RandomBytes.make(32)
        switch key.material {
        case .passcode(_, let parameters): (kind, scrypt) = (.passcode, parameters)
        case .bytes: (kind, scrypt) = (.bytes, nil)
        }
        let wrappingKey = try Self.wrappingKey(from: key, salt: salt, scrypt: scrypt)
        let place = Self.place(kind, salt, scrypt, vaultID)
        var clear = secret.withUnsafeBytes { Data($0) }
        defer { SecretBytes.wipe(&clear) }
        wrapped = try AuthenticatedEncryption.seal(clear, using: wrappingKey, authenticating: place)
    }

    /// A slot as it was stored.
    init(kind: Kind, salt: [UInt8], scrypt: ScryptParameters?, wrapped: [UInt8]) {
        self.kind = kind
        self.salt = salt
        self.scrypt = scrypt
        self.wrapped = wrapped
    }

    /// The secret; throws `.wrongKey`. Slow with a passcode.
    func unwrap(with key: DataVaultKey, vaultID: [UInt8]) throws(DataVaultError) -> SymmetricKey {
        switch (key.material, kind) {
        case (.passcode, .passcode), (.bytes, .bytes): break
        case (.bytes, .passcode): throw DataVaultError(.wrongKey, "This vault is opened by a passcode, not by a key.")
        case (.passcode, .bytes): throw DataVaultError(.wrongKey, "This vault is opened by a key, not by a passcode.")
        }
        let wrappingKey = try Self.wrappingKey(from: key, salt: salt, scrypt: scrypt)
        let place = Self.place(kind, salt, scrypt, vaultID)
        guard var clear = AuthenticatedEncryption.open(wrapped, using: wrappingKey, authenticating: place),
            [VaultCipher.keySize, 2 * VaultCipher.keySize].contains(clear.count)
        else {
            throw DataVaultError(
                .wrongKey, kind == .passcode ? "The passcode is wrong." : "The key is not the one of this vault.")
        }
        defer { SecretBytes.wipe(&clear) }
        return SymmetricKey(data: clear)
    }

    private static func wrappingKey(
        from key: DataVaultKey, salt: [UInt8], scrypt: ScryptParameters?
    ) throws(DataVaultError) -> SymmetricKey {
        switch key.material {
        case .passcode(let passcode, let fallback):
            var bytes = passcode.withUnsafeBytes { Array($0) }
            defer { SecretBytes.wipe(&bytes) }
            return try (scrypt ?? fallback).deriveKey(from: bytes, salt: salt)
        case .bytes(let bytes):
            return HKDF<SHA256>.deriveKey(
                inputKeyMaterial: bytes, salt: salt, info: Array("DataVault key wrapping".utf8), outputByteCount: 32)
        }
    }

    private static func place(
        _ kind: Kind, _ salt: [UInt8], _ scrypt: ScryptParameters?, _ vaultID: [UInt8]
    ) -> [UInt8] {
        var place = ByteEncoding("DataVault key slot")
        place.add(VaultSchema.firstFormat)
        place.add(vaultID)
        place.add(kind.rawValue)
        place.add(salt)
        for number in [scrypt?.cost, scrypt?.blockSize, scrypt?.parallelism] { place.add(Int64(number ?? 0)) }
        return place.bytes
    }
}
