import Crypto
public import HttpConversation
import SwiftASN1
import X509

extension CertificateSummary {
    /// Reads a certificate.
    ///
    /// - Parameter der: the certificate in DER
    /// - Throws: `CertificateError` if the bytes are not a certificate, or its signature is of an unknown kind
    public init(der: [UInt8]) throws(CertificateError) {
        do {
            let certificate =
                try (try? Certificate(derEncoded: der)) ?? CertificateKey(der: der).certificateWithPlaceholder()
            self.init(certificate, der: der)
        } catch { throw Self.unreadable }
    }

    /// The error for a certificate that cannot be read.
    static let unreadable = CertificateError(
        .unreadable, "A certificate in it cannot be read: it is damaged, or its key is of an unknown kind.")

    init(_ certificate: Certificate, der: [UInt8]) {
        let key = try? CertificateKey(der: der).bytes
        self.init(
            subject: "\(certificate.subject)", issuer: "\(certificate.issuer)",
            names: Self.names(certificate), notBefore: certificate.notValidBefore,
            notAfter: certificate.notValidAfter, fingerprint: Array(SHA256.hash(data: der)),
            publicKeyFingerprint: key.map { Array(SHA256.hash(data: $0)) } ?? [])
    }

    /// Whether a certificate is an authority's, by its basic constraints (RFC 5280 §4.2.1.9).
    static func isAuthority(der: [UInt8]) -> Bool {
        guard let certificate = try? Certificate(derEncoded: der),
            case .isCertificateAuthority? = try? certificate.extensions.basicConstraints
        else { return false }
        return true
    }

    /// The issuer's name in DER. Returns nil if the bytes are not a certificate.
    static func issuerName(der: [UInt8]) -> [UInt8]? {
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        var serializer = DER.Serializer()
        return (try? serializer.serialize(certificate.issuer)).map { serializer.serializedBytes }
    }

    private static func names(_ certificate: Certificate) -> [String] {
        let extensions = (try? certificate.extensions.subjectAlternativeNames) ?? nil
        return (extensions.map(Array.init) ?? []).compactMap { name in
            switch name {
            case .dnsName(let name), .rfc822Name(let name), .uniformResourceIdentifier(let name): name
            case .ipAddress(let address): Self.text(address.bytes)
            default: nil
            }
        }
    }

    private static func text(_ address: ArraySlice<UInt8>) -> String {
        if address.count == 4 { return address.map { "\($0)" }.joined(separator: ".") }
        let pairs = stride(from: address.startIndex, to: address.endIndex - 1, by: 2)
        return pairs.map { String(UInt16(address[$0]) << 8 | UInt16(address[$0 + 1]), radix: 16) }
            .joined(separator: ":")
    }
}
