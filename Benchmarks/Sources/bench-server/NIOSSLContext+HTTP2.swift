import NIOSSL

extension NIOSSLContext {
    /// What a server shows that speaks HTTP/2 and nothing else.
    ///
    /// - Parameters:
    ///   - certificate: a file in PEM
    ///   - key: a file in PEM
    static func http2(certificate: String, key: String) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        tls.applicationProtocols = ["h2"]
        return try NIOSSLContext(configuration: tls)
    }
}
