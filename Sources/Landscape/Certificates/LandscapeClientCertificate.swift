import NIOSSL

/// A client's certificate of the landscape's authority, with its key.
public struct LandscapeClientCertificate: Sendable {
    /// When a certificate is valid.
    public enum Validity: String, CaseIterable, Sendable {
        /// For a week.
        case now
        /// It expired a day ago.
        case past
        /// It begins tomorrow.
        case future
        /// For a week, but it is on the authority's list of those that it has taken back.
        case revoked
    }

    /// The common name in it.
    public let name: String
    /// The certificate as PEM text.
    public let certificatePEM: String
    /// The private key as PEM text, not encrypted.
    public let keyPEM: String

    /// Both as a PKCS#12 file.
    public func pkcs12(passphrase: String) throws -> [UInt8] {
        let bundle = NIOSSLPKCS12Bundle(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificatePEM.utf8)),
            privateKey: try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem))
        return try bundle.serialize(passphrase: Array(passphrase.utf8))
    }
}
