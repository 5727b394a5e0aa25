internal import Crypto
internal import HttpConvPlatform

/// AES-256-GCM with random nonces. It leaves no key in released memory.
enum AuthenticatedEncryption {
    private static let zeroKey = SymmetricKey(data: [UInt8](repeating: 0, count: 32))

    /// Encrypts content: nonce, ciphertext and tag.
    ///
    /// - Parameter place: the bytes that the ciphertext is bound to
    static func seal(
        _ content: some DataProtocol, using key: SymmetricKey, authenticating place: [UInt8]
    ) throws(DataVaultError) -> [UInt8] {
        defer { overwriteExpandedKey() }
        do {
            let box = try AES.GCM.seal(content, using: key, authenticating: place)
            // With a nonce of 12 bytes, the default, the combined form always exists.
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw DataVaultError(.ioFailure, "Encryption failed.", underlyingError: error)
        }
    }

    /// Decrypts content; nil if it or its place was changed, or the key is a different one.
    static func open(_ sealed: [UInt8], using key: SymmetricKey, authenticating place: [UInt8]) -> Data? {
        defer { overwriteExpandedKey() }
        guard let box = try? AES.GCM.SealedBox(combined: sealed) else { return nil }
        return try? AES.GCM.open(box, using: key, authenticating: place)
    }

    /// Overwrites the memory of the key's expanded form, which swift-crypto frees without clearing it. The next
    /// operation of the same thread reuses that memory.
    private static func overwriteExpandedKey() {
        #if !canImport(Darwin)
        _ = try? AES.GCM.seal([UInt8](), using: zeroKey)
        #endif
    }
}
