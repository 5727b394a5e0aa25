import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import Testing

/// A hand-written HTTP/2 server, and a transport that trusts it.
enum HTTP2Server {
    static func run(
        protocols: [String] = ["h2"], receiveBuffer: Int? = nil,
        configure: (inout NIOTransport.Configuration) -> Void = { _ in },
        script: @escaping RawServer.Script,
        _ body: @Sendable (RawServer, NIOTransport, String) async throws -> Void
    ) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make {
            $0.tls.trustRoots = .pem(authority.pem)
            configure(&$0)
        }
        let tls = try authority.serverContext(protocols: protocols)
        try await RawServer.run(tls: tls, receiveBuffer: receiveBuffer, script: script) { server in
            try await body(server, transport, "https://localhost:\(server.port)/")
        }
        await transport.shutdown()
    }
}

extension NIOTransport {
    /// Expects a response with this text.
    func expect(
        _ text: String, _ method: HTTPRequest.Method = .get, _ url: String, body: RequestBody? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let received = try await self.text(method, url, body: body)
        #expect(received == text, sourceLocation: sourceLocation)
    }
}
