import HTTPTypes
import HttpConversation
import HttpConversationConformance
import Testing

@testable import HttpConversationNIO

/// An exchange that needs another connection gets one of the same kind.
@Suite(.timeLimit(.minutes(1))) struct ProxyRetryTests {
    /// The HTTP/1.1 connection goes the same way, and the same filters judge its server.
    @Test func requiredHTTP1IsUsed() async throws {
        try await HTTP2Server.run(protocols: ["h2", "http/1.1"]) { connection in
            guard connection.index == 0 else {
                _ = try await connection.readHead()
                return try await connection.respond("old")
            }
            let peer = try await HTTP2Peer.accept(connection)
            try await peer.reset(try await peer.readRequest(), 13)
            try await connection.untilClosed()
        } _: { server, transport, url in
            try await TestProxy.run { proxy in
                let asked = Counter()
                let policy = ServerTrustPolicy { _, _ in asked.add() }
                let route = try proxy.route(.http)
                let text = try await transport.text(.get, url) {
                    $0.proxy = route
                    $0.serverTrust = policy
                }
                #expect(text == "old")
                #expect(asked.value == 2)
                #expect(proxy.tunnels == 2 && server.connectionCount == 2)
            }
        }
    }

    /// A 421 is retried on another connection through the same proxy.
    @Test func misdirected() async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext()) { connection in
            _ = try await connection.readHead()
            if connection.index == 0 {
                try await connection.write("HTTP/1.1 421 Misdirected Request\r\nContent-Length: 0\r\n\r\n")
            } else {
                try await connection.respond("right")
            }
            try await connection.untilClosed()
        } _: { server in
            try await TestProxy.run { proxy in
                let route = try proxy.route(.http)
                let text = try await transport.text(.get, "https://localhost:\(server.port)/") { $0.proxy = route }
                #expect(text == "right")
                #expect(proxy.tunnels == 2)
            }
        }
        await transport.shutdown()
    }

    /// A kept tunnel that the server has closed is replaced.
    @Test func aClosedTunnelIsReplaced() async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        try await RawServer.run(tls: authority.serverContext()) { connection in
            _ = try await connection.readHead()
            try await connection.respond("\(connection.index)")
            if connection.index == 0 { _ = try await connection.readHead() } else { try await connection.untilClosed() }
        } _: { server in
            try await TestProxy.run { proxy in
                let route = try proxy.route(.http)
                for index in 0..<2 {
                    let text = try await transport.text(.get, "https://localhost:\(server.port)/") { $0.proxy = route }
                    #expect(text == "\(index)")
                }
                #expect(proxy.tunnels == 2)
            }
        }
        await transport.shutdown()
    }

    /// A proxy at `localhost` may listen on either address.
    @Test(arguments: ["127.0.0.1", "::1"]) func aProxyOfThisMachine(host: String) async throws {
        try await RawServer.run(host: host) { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 503 Busy\r\n\r\n")
        } _: { proxy in
            let route = ProxyRoute(try ProxyServer(.http, host: "localhost", port: proxy.port))
            let response = try await NIOTransport.make().send(.get, "https://h.example/") { $0.proxy = route }
            #expect(response.isFromProxy && response.head.status.code == 503)
        }
    }
}
