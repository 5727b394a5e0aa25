import Crypto
import CryptoExtras
import HttpConvPlatform
package import HttpConversation
import SwiftASN1

extension ClientIdentity {
    /// The first certificate and its key as a PKCS#12 file (RFC 7292), for systems that accept keys in this form only.
    ///
    /// - Parameter passphrase: encrypts the key with PBES2 and AES-256, and makes the file's MAC
    /// - Throws: `CertificateError` for an unsupported kind of key
    package func pkcs12(passphrase: String) throws -> [UInt8] {
        guard let certificate = certificates.first else {
            throw CertificateError(.unreadable, "There is a key, but no certificate.")
        }
        let bags = DERText.sequence([
            DERText.sequence([
                DERText.oid(OID.shroudedKeyBag), DERText.explicit(try Self.shrouded(key(), passphrase)),
            ]),
            DERText.certificateBag(certificate),
        ])
        return Self.sealed(DERText.sequence([DERText.data(bags)]), passphrase)
    }

    /// The key in PKCS#8, whatever its original form.
    private func key() throws -> [UInt8] {
        let der: [UInt8]
        switch privateKey.storage {
        case .der(let bytes): der = bytes.value
        case .signer(let signer):
            throw CertificateError(.unsupportedKey, "The \(signer) cannot be read, so no file can hold it.")
        }
        if let key = try? P256.Signing.PrivateKey(derRepresentation: der) { return Array(key.derRepresentation) }
        if let key = try? P384.Signing.PrivateKey(derRepresentation: der) { return Array(key.derRepresentation) }
        if let key = try? P521.Signing.PrivateKey(derRepresentation: der) { return Array(key.derRepresentation) }
        if let key = try? _RSA.Signing.PrivateKey(derRepresentation: der) {
            return Array(key.pkcs8DERRepresentation)
        }
        throw CertificateError(.unsupportedKey, "The private key is of a kind that is not supported, or damaged.")
    }

    private static let rounds = 10_000

    /// The number of rounds in DER; below 2^15.
    private static let roundsText: [UInt8] = [0x02, 0x02, UInt8(rounds >> 8), UInt8(rounds & 0xFF)]

    private static func shrouded(_ key: [UInt8], _ passphrase: String) throws -> [UInt8] {
        let (salt, vector) = (RandomBytes.make(16), RandomBytes.make(16))
        let secret = try KDF.Insecure.PBKDF2.deriveKey(
            from: Array(passphrase.utf8), salt: salt, using: .sha256, outputByteCount: 32,
            unsafeUncheckedRounds: rounds)
        let encrypted = try AES._CBC.encrypt(key, using: secret, iv: AES._CBC.IV(ivBytes: vector))
        let derivation = DERText.sequence([
            DERText.oid(OID.pbkdf2),
            DERText.sequence([
                DERText.octets(salt), roundsText, DERText.sequence([DERText.oid(OID.hmacSHA256), DERText.null]),
            ]),
        ])
        let cipher = DERText.sequence([DERText.oid(OID.aes256), DERText.octets(vector)])
        let algorithm = DERText.sequence([DERText.oid(OID.pbes2), DERText.sequence([derivation, cipher])])
        return DERText.sequence([algorithm, DERText.octets(Array(encrypted))])
    }

    private static func sealed(_ content: [UInt8], _ passphrase: String) -> [UInt8] {
        let salt = RandomBytes.make(16)
        let key = PKCS12MAC.key(PKCS12Passphrase(passphrase), salt, rounds, SHA256.self)
        let mac = HMAC<SHA256>.authenticationCode(for: content, using: key)
        let algorithm = DERText.sequence([DERText.oid(OID.sha256), DERText.null])
        let seal = DERText.sequence([
            DERText.sequence([algorithm, DERText.octets(Array(mac))]), DERText.octets(salt), roundsText,
        ])
        return DERText.sequence([[0x02, 0x01, 0x03], DERText.data(content), seal])
    }
}
