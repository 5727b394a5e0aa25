import NIOSSL

/// A client certificate of the landscape's authority, with its key.
public struct LandscapeClientCertificate: Sendable {
    /// The validity of a certificate.
    public enum Validity: String, CaseIterable, Sendable {
        /// Valid for a week.
        case now
        /// Expired a day ago.
        case past
        /// Valid from tomorrow.
        case future
        /// Valid for a week, but revoked by the authority.
        case revoked
    }

    /// The common name.
    public let name: String
    /// The certificate as PEM text.
    public let certificatePEM: String
    /// The private key as PEM text, not encrypted.
    public let keyPEM: String

    /// The certificate and the key as a PKCS#12 file.
    public func pkcs12(passphrase: String) throws -> [UInt8] {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificatePEM.utf8)),
            privateKey: try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem))
        return try bundle.serialize(passphrase: Array(passphrase.utf8))
    }
}
