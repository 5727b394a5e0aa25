import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// A certificate authority made for one test.
struct TestAuthority {
    private let key = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    let pem: [UInt8]

    init() throws {
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

    /// A server's TLS settings with a certificate for the given names; without any it has a subject only.
    func serverContext(
        for names: [GeneralName] = [.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))],
        notAfter: Date = Date() + 3600, commonName: String = "server", protocols: [String] = []
    ) throws -> NIOSSLContext {
        let leafKey = P256.Signing.PrivateKey()
        let leaf = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(leafKey.publicKey),
            notValidBefore: Date() - 7200, notValidAfter: notAfter,
            issuer: name, subject: try DistinguishedName { CommonName(commonName) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try .init {
                Critical(BasicConstraints.notCertificateAuthority)
                if !names.isEmpty { SubjectAlternativeNames(names) }
                try ExtendedKeyUsage([.serverAuth])
            },
            issuerPrivateKey: .init(key))
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(try leaf.serializeAsPEM().pemString.utf8))
        let privateKey = try NIOSSLPrivateKey(bytes: Array(leafKey.pemRepresentation.utf8), format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.applicationProtocols = protocols
        return try NIOSSLContext(configuration: configuration)
    }
}
