import HttpConvPlatform
import NIOSSL
import SwiftASN1

/// Decrypts private keys in PKCS#8 form (RFC 5958 §3).
enum EncryptedKey {
    /// Refuses an encryption that no passphrase could open here, before a passphrase is asked for.
    ///
    /// - Throws: `CertificateError` with `unsupportedKey`
    static func requireKnown(_ algorithm: ASN1Node) throws {
        var scheme = try BERReader(algorithm)
        let name = try scheme.oid()
        guard name == OID.pbes2 else {
            guard OID.olderSchemes.contains(name) else { throw unknown }
            return
        }
        var parameters = try scheme.sequence()
        var (derivation, cipher) = (try parameters.sequence(), try parameters.sequence())
        let ciphers = [OID.aes128, OID.aes192, OID.aes256] + OID.olderCiphers
        guard try derivation.oid() == OID.pbkdf2, ciphers.contains(try cipher.oid()) else { throw unknown }
        var values = try derivation.sequence()
        _ = try values.octets()
        _ = try values.integer()
        guard try PBES2.hash(&values) != nil else { throw unknown }
    }

    /// The same for the older form (RFC 1421), whose header names the cipher.
    static func requireKnown(header text: String) throws {
        guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("DEK-Info:") }) else { return }
        let name = line.dropFirst("DEK-Info:".count).prefix { $0 != "," }.drop { $0 == " " }
        guard ["DES-CBC", "DES-EDE3-CBC", "AES-128-CBC", "AES-192-CBC", "AES-256-CBC"].contains(name) else {
            throw unknown
        }
    }

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

    private static let unknown = CertificateError(
        .unsupportedKey,
        "The private key is encrypted in a way that is not supported, such as by scrypt or Camellia: encrypt it anew, by PBKDF2 and AES (openssl pkcs8 -topk8 -v2 aes-256-cbc)."
    )
    static let wrong = CertificateError(.wrongPassphrase, "The passphrase does not open the private key.")
    private static let unsupported = CertificateError(
        .unsupportedKey, "The private key is of a kind, or encrypted in a way, that is not supported.")
}
