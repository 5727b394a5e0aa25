import Crypto
import Foundation
import X509

extension TestCertificates {
    /// Like ``make(_:kind:)``, but valid until yesterday, which openssl cannot make.
    func makeExpired(_ name: String) throws {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: .init(key.publicKey),
            notValidBefore: .now.addingTimeInterval(-2 * 86_400), notValidAfter: .now.addingTimeInterval(-86_400),
            issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256, extensions: .init(),
            issuerPrivateKey: .init(key))
        try Data(certificate.serializeAsPEM().pemString.utf8).write(to: directory.appending(path: "\(name).pem"))
        try Data(key.pemRepresentation.utf8).write(to: directory.appending(path: "\(name).key"))
    }
}
