import Crypto
import HttpConvPlatform
import NIOSSL
import SwiftASN1
import X509

/// Decrypts safes that older programs wrote, with 3DES or RC2 (RFC 7292 Appendix C).
///
/// NIOSSL can decrypt them, but ends the process if a file lacks a key or the key's certificate. So it gets a file that
/// has both: the encrypted safe, with a key and certificate of our own beside it.
enum LegacySafe {
    /// The certificates of the safe.
    static func certificates(_ safe: PKCS12File.Encrypted, _ passphrase: PKCS12Passphrase) throws -> [[UInt8]] {
        let own = try OwnIdentity()
        let file = own.file(with: safe.element, passphrase)
        let bundle: NIOSSLPKCS12Bundle
        do {
            bundle = try NIOSSLPKCS12Bundle(buffer: file, passphrase: Array(passphrase.text.utf8))
        } catch {
            throw CertificateError(
                .unsupportedKey,
                "Its certificates are encrypted in a way that is not supported: encrypt it anew, by AES."
            )
        }
        return try bundle.certificateChain.map { try $0.toDERBytes() }.filter { $0 != own.certificate }
    }

    private struct OwnIdentity {
        let key: [UInt8]
        let certificate: [UInt8]

        init() throws {
            let key = P256.Signing.PrivateKey()
            let name = try DistinguishedName { CommonName("nobody") }
            let certificate = try Certificate(
                version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: .now,
                notValidAfter: .now, issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
                extensions: .init(), issuerPrivateKey: .init(key))
            var serializer = DER.Serializer()
            try serializer.serialize(certificate)
            self.key = Array(key.derRepresentation)
            self.certificate = serializer.serializedBytes
        }

        func file(with element: [UInt8], _ passphrase: PKCS12Passphrase) -> [UInt8] {
            let bags = DERText.sequence([
                DERText.sequence([DERText.oid(OID.keyBag), DERText.explicit(key)]),
                DERText.certificateBag(certificate),
            ])
            let safes = DERText.sequence([element, DERText.data(bags)])
            let salt: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
            let mac = HMAC<SHA256>.authenticationCode(
                for: safes, using: PKCS12MAC.key(passphrase, salt, 1, SHA256.self))
            let algorithm = DERText.sequence([DERText.oid(OID.sha256), DERText.null])
            let seal = DERText.sequence([
                DERText.sequence([algorithm, DERText.octets(Array(mac))]), DERText.octets(salt),
            ])
            return DERText.sequence([[0x02, 0x01, 0x03], DERText.data(safes), seal])
        }
    }
}
