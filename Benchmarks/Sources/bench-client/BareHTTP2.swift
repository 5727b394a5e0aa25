import NIOHPACK
import NIOPosix
import NIOSSL

/// What the bare clients of HTTP/2 have in common.
enum BareHTTP2 {
    static func context(trusting certificate: String) async throws -> NIOSSLContext {
        try await NIOThreadPool.singleton.runIfActive {
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.trustRoots = .file(certificate)
            configuration.applicationProtocols = ["h2"]
            return try NIOSSLContext(configuration: configuration)
        }
    }

    static func request(_ authority: String) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(8)
        headers.add(name: ":method", value: "GET")
        headers.add(name: ":scheme", value: "https")
        headers.add(name: ":authority", value: authority)
        headers.add(name: ":path", value: "/json")
        headers.add(name: "accept", value: "*/*")
        headers.add(name: "accept-encoding", value: "gzip, deflate")
        headers.add(name: "user-agent", value: "HttpConversation")
        return headers
    }
}
