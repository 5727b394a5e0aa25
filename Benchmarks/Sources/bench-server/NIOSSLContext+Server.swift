import NIOSSL

extension NIOSSLContext {
    /// What a server shows that speaks one protocol and nothing else.
    ///
    /// - Parameters:
    ///   - name: as ALPN has it
    ///   - certificate: a file in PEM
    ///   - key: a file in PEM
    static func server(_ name: String, certificate: String, key: String) throws -> NIOSSLContext {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(certificate).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: key, format: .pem)))
        tls.applicationProtocols = [name]
        return try NIOSSLContext(configuration: tls)
    }
}
