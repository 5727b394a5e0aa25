import Crypto
import Foundation
import SwiftASN1
import X509

/// The landscape's authority, for issuing certificates for other keys.
struct EnrolmentAuthority: Sendable {
    /// The contents of the certificate to make.
    struct Wish {
        var key: Certificate.PublicKey
        var subject: DistinguishedName
        /// The start and the end of the validity, in seconds from now.
        var start: TimeInterval = -60
        var end: TimeInterval
        var usage = ExtendedKeyUsage.Usage.clientAuth
        var isAuthority = false
        /// Whether another key than the authority's signs it.
        var isForged = false
    }

    let pem: String
    let key: P256.Signing.PrivateKey
    let name: DistinguishedName

    func issue(_ wish: Wish) throws -> Certificate {
        let now = Date()
        return try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: wish.key,
            notValidBefore: now.addingTimeInterval(wish.start),
            notValidAfter: now.addingTimeInterval(wish.end),
            issuer: name,
            subject: wish.subject,
            extensions: try Certificate.Extensions {
                Critical(
                    wish.isAuthority
                        ? BasicConstraints.isCertificateAuthority(maxPathLength: 0)
                        : BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true, keyCertSign: wish.isAuthority))
                try ExtendedKeyUsage([wish.usage])
                SubjectKeyIdentifier(hash: wish.key)
                AuthorityKeyIdentifier(
                    keyIdentifier: SubjectKeyIdentifier(hash: .init(key.publicKey)).keyIdentifier)
            },
            issuerPrivateKey: .init(wish.isForged ? P256.Signing.PrivateKey() : key)
        )
    }
}
