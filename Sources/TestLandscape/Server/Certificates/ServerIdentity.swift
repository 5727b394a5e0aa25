import NIOSSL

/// A server certificate with its private key.
struct ServerIdentity: Sendable {
    /// Whether the server asks clients for a certificate.
    enum ClientCertificate: Sendable {
        case wanted, demanded
    }

    let certificatePEM: String
    let keyPEM: String
    var clientCertificate: ClientCertificate?
    var clientAuthorityPEM = ""

    /// The same identity for a server that asks its clients for a certificate of an authority.
    func asking(_ clientCertificate: ClientCertificate, _ authorityPEM: String) -> ServerIdentity {
        var copy = self
        copy.clientCertificate = clientCertificate
        copy.clientAuthorityPEM = authorityPEM
        return copy
    }

    /// TLS 1.2 and 1.3, with HTTP/1.1 by ALPN.
    func tlsConfiguration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificatePEM.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        if let clientCertificate {
            configuration.certificateVerification =
                clientCertificate == .demanded ? .noHostnameVerification : .optionalVerification
            configuration.trustRoots = .certificates(
                try NIOSSLCertificate.fromPEMBytes(Array(clientAuthorityPEM.utf8)))
        }
        return configuration
    }
}
