import SwiftASN1
import X509

/// A certificate's public key as the certificate has it (SubjectPublicKeyInfo, RFC 5280 §4.1), of any kind and length.
struct CertificateKey {
    /// The key in DER.
    let bytes: [UInt8]
    private let fields: [ASN1Node]
    private let position: Int
    private let rest: [ASN1Node]

    /// - Throws: an error for bytes that do not have the structure of a certificate
    init(der: [UInt8]) throws {
        var certificate = try BERReader(sequence: der)
        var content = try certificate.sequence()
        fields = content.remaining()
        rest = certificate.remaining()
        // Serial number, algorithm, issuer, validity and subject precede it, and the version may.
        position = fields.first?.identifier == BERReader.contextZero ? 6 : 5
        guard fields.count > position else { throw BERReader.Malformed() }
        bytes = Array(fields[position].encodedBytes)
    }

    /// The certificate with another key in the place of its own. swift-certificates refuses a certificate whose key it
    /// does not support, such as one of RSA below 2048 bits; this is only for its other fields.
    func certificateWithPlaceholder() throws -> Certificate {
        let key = try DER.parse(Self.placeholder)
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { certificate in
            certificate.appendConstructedNode(identifier: .sequence) { content in
                for (index, field) in fields.enumerated() { content.serialize(index == position ? key : field) }
            }
            for node in rest { certificate.serialize(node) }
        }
        return try Certificate(derEncoded: serializer.serializedBytes)
    }

    /// A key of Ed25519 (RFC 8410 §4), all zeros.
    private static let placeholder: [UInt8] =
        [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + [UInt8](repeating: 0, count: 32)
}
