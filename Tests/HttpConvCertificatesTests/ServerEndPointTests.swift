import Crypto
import Foundation
import SwiftASN1
import Testing
import X509

@testable import HttpConvCertificates

/// The hash that binds a login to a server's certificate (RFC 5929 §4.1).
@Suite(.timeLimit(.minutes(1))) struct ServerEndPointTests {
    private static func der(
        _ key: Certificate.PrivateKey, _ algorithm: Certificate.SignatureAlgorithm
    ) throws -> [UInt8] {
        let name = try DistinguishedName { CommonName("server") }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key.publicKey, notValidBefore: Date() - 60,
            notValidAfter: Date() + 60, issuer: name, subject: name, signatureAlgorithm: algorithm,
            extensions: .init(), issuerPrivateKey: key)
        var serializer = DER.Serializer()
        try serializer.serialize(certificate)
        return serializer.serializedBytes
    }

    @Test func theHashIsThatOfTheSignature() throws {
        let key = Certificate.PrivateKey(P256.Signing.PrivateKey())
        let sha256 = try Self.der(key, .ecdsaWithSHA256)
        #expect(ServerEndPoint.hash(der: sha256) == Array(SHA256.hash(data: sha256)))
        let sha384 = try Self.der(key, .ecdsaWithSHA384)
        #expect(ServerEndPoint.hash(der: sha384) == Array(SHA384.hash(data: sha384)))
        let sha512 = try Self.der(key, .ecdsaWithSHA512)
        #expect(ServerEndPoint.hash(der: sha512) == Array(SHA512.hash(data: sha512)))
    }

    /// Not defined there, so there is no binding.
    @Test func aSignatureWithoutAHashHasNone() throws {
        let key = Certificate.PrivateKey(Curve25519.Signing.PrivateKey())
        #expect(ServerEndPoint.hash(der: try Self.der(key, .ed25519)) == nil)
        #expect(ServerEndPoint.hash(der: [0x30, 0x03, 1, 2, 3]) == nil)
        #expect(ServerEndPoint.hash(der: []) == nil)
    }
}
