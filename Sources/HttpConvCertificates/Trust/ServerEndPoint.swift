import Crypto
import X509

/// The channel binding `tls-server-end-point` (RFC 5929 §4.1).
package enum ServerEndPoint {
    /// The hash of a server's certificate, by the hash function of its signature, at least SHA-256.
    ///
    /// - Parameter der: the certificate in DER
    /// - Returns: nil if the signature has no hash function, or an unknown one
    package static func hash(der: [UInt8]) -> [UInt8]? {
        guard let certificate = try? Certificate(derEncoded: der) else { return nil }
        return switch certificate.signatureAlgorithm {
        case .ecdsaWithSHA256, .sha256WithRSAEncryption, .sha1WithRSAEncryption: Array(SHA256.hash(data: der))
        case .ecdsaWithSHA384, .sha384WithRSAEncryption: Array(SHA384.hash(data: der))
        case .ecdsaWithSHA512, .sha512WithRSAEncryption: Array(SHA512.hash(data: der))
        default: nil
        }
    }
}
