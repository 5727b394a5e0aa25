import HttpConvPlatform
import NIOSSL

/// Decrypts private keys in PKCS#8 form (RFC 5958 §3).
enum EncryptedKey {
    /// - Parameter isChecked: whether the passphrase is known to be the right one
    /// - Returns: the key in DER
    static func decrypt(
        _ key: PKCS12File.Encrypted, _ passphrase: String, isChecked: Bool
    ) throws -> [UInt8] {
        if let scheme = try PBES2(key.algorithm) {
            // With a wrong passphrase, the padding may still fit by chance.
            if let bytes = try scheme.decrypt(key.bytes, passphrase), (try? BERReader(sequence: bytes)) != nil {
                return bytes
            }
            throw wrong
        }
        let pem = PEMText.encode(key.element, "ENCRYPTED PRIVATE KEY")
        do { return try decrypt(pem: Array(pem.utf8), passphrase) } catch let error as CertificateError {
            throw error
        } catch {
            throw isChecked ? unsupported : wrong
        }
    }

    /// Decrypts all other schemes with BoringSSL.
    static func decrypt(pem: [UInt8], _ passphrase: String) throws -> [UInt8] {
        // NIOSSL treats the bytes as signed and has room for this many.
        guard passphrase.utf8.allSatisfy({ $0 < 0x80 }), passphrase.utf8.count < 1000 else {
            throw CertificateError(
                .unsupportedKey,
                "Its encryption is an old one, which is supported with passphrases of ASCII characters only: encrypt it anew, by AES."
            )
        }
        let bytes = Array(passphrase.utf8)
        return try NIOSSLPrivateKey(bytes: pem, format: .pem) { setter in setter(bytes) }.derBytes
    }

    static let wrong = CertificateError(.wrongPassphrase, "The passphrase does not open the private key.")
    private static let unsupported = CertificateError(
        .unsupportedKey, "The private key is of a kind, or encrypted in a way, that is not supported.")
}
