import Crypto
import CryptoExtras
import SwiftASN1
import X509

/// A new key with a certificate request for it (PKCS#10, RFC 2986).
package struct CertificateRequest: Sendable {
    /// The kind of key.
    package enum Key: Hashable, Sendable, CaseIterable {
        case p256
        /// For servers that support no other kind. Slow to generate.
        case rsa2048
    }

    /// The request in DER, signed with the key.
    package let der: [UInt8]
    /// The certificate's subject.
    let subject: DistinguishedName
    let publicKey: Certificate.PublicKey
    /// The private key in DER.
    let privateKey: [UInt8]

    /// Makes a key and a request for a name.
    ///
    /// - Parameter challengePassword: the challenge password (RFC 2985 §5.4.1)
    /// - Throws: ``CertificateError/Code/invalidName``
    package init(
        commonName: String, organizationalUnit: String? = nil, organization: String? = nil, key: Key = .p256,
        challengePassword: String? = nil
    ) throws(CertificateError) {
        for name in [commonName, organizationalUnit, organization].compactMap({ $0 }) where !Self.isName(name) {
            throw CertificateError(
                .invalidName, "A name in a certificate has 1 to 64 characters, and none that cannot be seen.")
        }
        guard challengePassword.map({ (1...255).contains($0.unicodeScalars.count) }) ?? true else {
            throw CertificateError(.invalidName, "A challenge password has 1 to 255 characters.")
        }
        do {
            let subject = try DistinguishedName {
                CommonName(commonName)
                if let organizationalUnit { OrganizationalUnitName(organizationalUnit) }
                if let organization { OrganizationName(organization) }
            }
            try self.init(subject, key, challengePassword)
        } catch {
            throw CertificateError(.invalidName, "No request for a certificate can be made for that name.")
        }
    }

    /// Makes a key and a request for the subject of another certificate.
    package init(renewing certificate: [UInt8], key: Key = .p256) throws(CertificateError) {
        do { try self.init(try Certificate(derEncoded: certificate).subject, key, nil) } catch {
            throw CertificateError(.unreadable, "The certificate that is to be renewed cannot be read.")
        }
    }

    private init(_ subject: DistinguishedName, _ kind: Key, _ challengePassword: String?) throws {
        let key: Certificate.PrivateKey
        switch kind {
        case .p256:
            let made = P256.Signing.PrivateKey()
            (key, privateKey) = (.init(made), Array(made.derRepresentation))
        case .rsa2048:
            let made = try _RSA.Signing.PrivateKey(keySize: .bits2048)
            (key, privateKey) = (.init(made), Array(made.derRepresentation))
        }
        self.subject = subject
        publicKey = key.publicKey
        let request = try CertificateSigningRequest(
            version: .v1, subject: subject, privateKey: key,
            attributes: .init(try challengePassword.map { [try Self.attribute($0)] } ?? []))
        var serializer = DER.Serializer()
        try serializer.serialize(request)
        der = serializer.serializedBytes
    }

    private static func attribute(_ challengePassword: String) throws -> CertificateSigningRequest.Attribute {
        // Servers may accept either type; all accept the older one.
        let value =
            if let printable = try? ASN1PrintableString(challengePassword) { try ASN1Any(erasing: printable) } else {
                try ASN1Any(erasing: ASN1UTF8String(challengePassword))
            }
        return .init(oid: [1, 2, 840, 113_549, 1, 9, 7], values: [value])
    }

    private static func isName(_ text: String) -> Bool {
        (1...64).contains(text.unicodeScalars.count)
            && text.unicodeScalars.allSatisfy {
                ![.control, .format, .surrogate, .lineSeparator, .paragraphSeparator].contains(
                    $0.properties.generalCategory)
            }
    }
}

extension CertificateRequest: CustomStringConvertible, CustomReflectable {
    /// A fixed text that reveals nothing about the key.
    package var description: String { "a request for a certificate" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
