import NIOSSL

/// A server certificate with its private key.
struct ServerIdentity: Sendable {
    let certificatePEM: String
    let keyPEM: String

    /// TLS 1.2 and 1.3, HTTP/1.1 by ALPN.
    func tlsConfiguration() throws -> TLSConfiguration {
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(certificatePEM.utf8)).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(keyPEM.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return configuration
    }
}
