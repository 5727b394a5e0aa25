import NIOPosix
import NIOSSL

extension NIOSSLContext {
    /// The context of the bare clients.
    static func client(_ applicationProtocol: String, trusting certificate: String) async throws -> NIOSSLContext {
        try await NIOThreadPool.singleton.runIfActive {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(certificate)
            configuration.applicationProtocols = [applicationProtocol]
            return try NIOSSLContext(configuration: configuration)
        }
    }
}
