import Crypto
package import Foundation
package import NIOSSL
import SwiftASN1
package import X509

/// A certificate authority made for one test.
package struct TestAuthority {
    private let key = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    package let pem: [UInt8]

    package init() throws {
        name = try DistinguishedName { CommonName("Test CA \(UUID().uuidString)") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: Date() - 3600, notValidAfter: Date() + 3600,
            issuer: name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(keyCertSign: true))
            },
            issuerPrivateKey: .init(key))
        pem = Array(try certificate.serializeAsPEM().pemString.utf8)
    }

    /// A certificate of this authority.
    package func issue(
        _ commonName: String, for key: Certificate.PublicKey, _ usages: [ExtendedKeyUsage.Usage],
        names: [GeneralName] = [], notBefore: Date = Date() - 7200, notAfter: Date = Date() + 3600
    ) throws -> Certificate {
        try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key, notValidBefore: notBefore, notValidAfter: notAfter,
            issuer: name, subject: try DistinguishedName { CommonName(commonName) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                if !names.isEmpty { SubjectAlternativeNames(names) }
                try ExtendedKeyUsage(usages)
            },
            issuerPrivateKey: .init(self.key))
    }

    /// A server's TLS settings with a certificate for the given names. Without names the certificate has a subject
    /// only.
    package func serverConfiguration(
        for names: [GeneralName] = [.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))],
        notBefore: Date = Date() - 7200, notAfter: Date = Date() + 3600, commonName: String = "server"
    ) throws -> TLSConfiguration {
        let leafKey = P256.Signing.PrivateKey()
        let leaf = try issue(
            commonName, for: .init(leafKey.publicKey), [.serverAuth], names: names, notBefore: notBefore,
            notAfter: notAfter)
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(try leaf.serializeAsPEM().pemString.utf8))
        let privateKey = try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem)
        return .makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
    }

    /// A TLS context with these settings.
    package func serverContext(
        for names: [GeneralName] = [.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))],
        notBefore: Date = Date() - 7200, notAfter: Date = Date() + 3600, commonName: String = "server",
        protocols: [String] = []
    ) throws -> NIOSSLContext {
        var configuration = try serverConfiguration(
            for: names, notBefore: notBefore, notAfter: notAfter, commonName: commonName)
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }
}
