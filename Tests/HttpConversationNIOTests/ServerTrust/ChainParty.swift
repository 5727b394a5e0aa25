import Crypto
import Foundation
import NIOSSL
import SwiftASN1
import X509

/// An authority or server of the corpus: a name with a key and a certificate.
struct ChainParty {
    let name: DistinguishedName
    let key: P256.Signing.PrivateKey
    let certificate: Certificate

    static let hosts: [GeneralName] = [.dnsName("localhost"), .ipAddress(.init(contentBytes: [127, 0, 0, 1]))]

    /// An authority.
    ///
    /// - Parameters:
    ///   - key: nil: a new one
    ///   - issuer: nil: itself
    ///   - constraints: nil: without basic constraints
    static func authority(
        _ name: String, key: P256.Signing.PrivateKey? = nil, by issuer: ChainParty? = nil, from: Date = Date() - 7200,
        until: Date = Date() + 7200, constraints: BasicConstraints? = .isCertificateAuthority(maxPathLength: nil),
        usage: KeyUsage? = KeyUsage(keyCertSign: true), purposes: [ExtendedKeyUsage.Usage] = [],
        names: [GeneralName] = [], nameConstraints: NameConstraints? = nil, unknown: Bool = false
    ) throws -> ChainParty {
        try ChainParty(name, key ?? .init(), issuer, from, until) {
            if let constraints { Critical(constraints) }
            if let usage { Critical(usage) }
            if !purposes.isEmpty { try ExtendedKeyUsage(purposes) }
            if !names.isEmpty { SubjectAlternativeNames(names) }
            if let nameConstraints { Critical(nameConstraints) }
            if unknown { Self.unknownExtension }
        }
    }

    /// A server.
    static func server(
        by issuer: ChainParty?, names: [GeneralName] = hosts, from: Date = Date() - 7200, until: Date = Date() + 7200,
        constraints: BasicConstraints? = .notCertificateAuthority, usage: KeyUsage? = KeyUsage(digitalSignature: true),
        purposes: [ExtendedKeyUsage.Usage] = [.serverAuth], commonName: String = "server", unknown: Bool = false
    ) throws -> ChainParty {
        try ChainParty(commonName, .init(), issuer, from, until) {
            if let constraints { Critical(constraints) }
            if let usage { Critical(usage) }
            if !purposes.isEmpty { try ExtendedKeyUsage(purposes) }
            if !names.isEmpty { SubjectAlternativeNames(names) }
            if unknown { Self.unknownExtension }
        }
    }

    private static var unknownExtension: Certificate.Extension {
        Certificate.Extension(oid: [1, 3, 6, 1, 4, 1, 55555, 1], critical: true, value: [5, 0])
    }

    private init(
        _ commonName: String, _ key: P256.Signing.PrivateKey, _ issuer: ChainParty?, _ from: Date, _ until: Date,
        @ExtensionsBuilder _ extensions: () throws -> Result<Certificate.Extensions, any Error>
    ) throws {
        name = try DistinguishedName { CommonName(commonName) }
        self.key = key
        certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey), notValidBefore: from,
            notValidAfter: until, issuer: issuer?.name ?? name, subject: name, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try extensions().get(), issuerPrivateKey: .init((issuer?.key ?? key)))
    }

    /// The same party with the issuer name of another key.
    func renamed(as other: ChainParty) -> ChainParty { ChainParty(other.name, key, certificate) }

    private init(_ name: DistinguishedName, _ key: P256.Signing.PrivateKey, _ certificate: Certificate) {
        self.name = name
        self.key = key
        self.certificate = certificate
    }

    var pem: String { get throws { try certificate.serializeAsPEM().pemString + "\n" } }
    var keyDigest: [UInt8] {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(certificate.publicKey)
            return Array(SHA256.hash(data: serializer.serializedBytes))
        }
    }
}
