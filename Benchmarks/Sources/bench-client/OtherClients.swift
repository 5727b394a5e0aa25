import AsyncHTTPClient
import Foundation
import NIOCore
import NIOSSL

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The package that most Swift servers use.
struct AsyncHTTPClientClient: Client {
    private let client: HTTPClient
    private let url: String

    init(port: Int, connections: Int, certificate: String? = nil) {
        var configuration = HTTPClient.Configuration()
        if let certificate {
            var tls = TLSConfiguration.makeClientConfiguration()
            tls.trustRoots = .file(certificate)
            configuration.tlsConfiguration = tls
        }
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        url = "\(certificate == nil ? "http" : "https")://127.0.0.1:\(port)/json"
    }

    func fetch(_ task: Int) async throws -> Int {
        var request = HTTPClientRequest(url: url)
        request.headers.add(name: "Accept", value: "*/*")
        request.headers.add(name: "Accept-Encoding", value: "gzip, deflate")
        request.headers.add(name: "User-Agent", value: "HttpConversation")
        let response = try await client.execute(request, timeout: .seconds(60))
        return try await response.body.collect(upTo: 1 << 20).readableBytes
    }
}

/// Foundation's own.
struct URLSessionClient: Client {
    private let session: URLSession
    private let request: URLRequest

    init(port: Int, connections: Int) {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = connections
        configuration.urlCache = nil
        session = URLSession(configuration: configuration)
        request = URLRequest(url: URL(string: "http://127.0.0.1:\(port)/json") ?? URL(filePath: "/"))
    }

    func fetch(_ task: Int) async throws -> Int { try await session.data(for: request).0.count }
}
