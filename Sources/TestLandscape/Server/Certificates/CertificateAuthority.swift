import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority that lives as long as its landscape.
struct CertificateAuthority: Sendable {
    /// The CA certificate as PEM text.
    let pem: String
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName
    private let now: Date

    init() throws {
        let now = Date()
        let key = P256.Signing.PrivateKey()
        // A random name keeps the CAs of two landscapes apart in one trust store.
        let suffix = String(UInt32.random(in: .min ... .max), radix: 16)
        let name = try DistinguishedName { CommonName("Landscape CA \(suffix)") }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(key.publicKey),
            notValidBefore: now.addingTimeInterval(-86_400),
            notValidAfter: now.addingTimeInterval(30 * 86_400),
            issuer: name,
            subject: name,
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: .init(key.publicKey))
            },
            issuerPrivateKey: .init(key)
        )
        (self.now, self.key, self.name) = (now, key, name)
        pem = try certificate.serializeAsPEM().pemString
    }

    /// The authority for issuing certificates for other keys.
    var enrolment: EnrolmentAuthority { EnrolmentAuthority(pem: pem, key: key, name: name) }

    /// A server certificate for the names, valid from `start` to `end` seconds from now, with its key.
    func serverIdentity(
        names: [GeneralName],
        commonName: String,
        validFrom start: TimeInterval = -3600,
        to end: TimeInterval = 7 * 86_400
    ) throws -> ServerIdentity {
        try issue(names, commonName, .serverAuth, start, end)
    }

    /// A client's certificate with its key.
    func clientIdentity(
        commonName: String, validFrom start: TimeInterval, to end: TimeInterval
    ) throws -> ServerIdentity {
        try issue([], commonName, .clientAuth, start, end)
    }

    private func issue(
        _ names: [GeneralName], _ commonName: String, _ usage: ExtendedKeyUsage.Usage, _ start: TimeInterval,
        _ end: TimeInterval
    ) throws -> ServerIdentity {
        let leafKey = P256.Signing.PrivateKey()
        let certificate = try Certificate(
            version: .v3,
            serialNumber: .init(),
            publicKey: .init(leafKey.publicKey),
            notValidBefore: now.addingTimeInterval(start),
            notValidAfter: now.addingTimeInterval(end),
            issuer: name,
            subject: try DistinguishedName { CommonName(commonName) },
            extensions: try Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([usage])
                if !names.isEmpty { SubjectAlternativeNames(names) }
                SubjectKeyIdentifier(hash: .init(leafKey.publicKey))
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: .init(key.publicKey)).keyIdentifier)
            },
            issuerPrivateKey: .init(key)
        )
        return ServerIdentity(
            certificatePEM: try certificate.serializeAsPEM().pemString,
            keyPEM: leafKey.pemRepresentation
        )
    }
}
