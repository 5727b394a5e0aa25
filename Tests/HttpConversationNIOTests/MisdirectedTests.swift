import HTTPTypes
import HttpConversation
import HttpConversationConformance
import NIOCore
import Testing

@testable import HttpConversationNIO

/// Requests that a server refuses on a connection (421, RFC 9110 §15.5.20).
@Suite(.timeLimit(.minutes(1))) struct MisdirectedTests {
    /// Answers each request with a status, over the version that was negotiated.
    private static func serve(
        _ connection: ServerConnection, isHTTP2: Bool, _ status: Int, _ requests: Counter
    ) async throws {
        let peer = isHTTP2 ? try await HTTP2Peer.accept(connection) : nil
        while true {
            if let peer {
                let stream = try await peer.readRequest()
                requests.add()
                try await peer.write(
                    HTTP2Peer.head(stream, [(":status", "\(status)")]) + HTTP2Peer.body(stream, Array("ok".utf8)))
            } else {
                _ = try await connection.readHead()
                requests.add()
                try await connection.write("HTTP/1.1 \(status) Status\r\nContent-Length: 2\r\n\r\nok")
            }
        }
    }

    /// The refused connection ends, and the others are used by all requests that follow.
    @Test(arguments: [false, true]) func theRefusedConnectionEnds(isHTTP2: Bool) async throws {
        let requests = Counter()
        try await HTTP2Server.run(protocols: [isHTTP2 ? "h2" : "http/1.1"]) { connection in
            let status = connection.index == 0 ? 421 : 200
            try await Self.serve(connection, isHTTP2: isHTTP2, status, requests)
        } _: { server, transport, url in
            for _ in 0..<3 { try await transport.expect("ok", .get, url) }
            #expect(server.connectionCount == 2 && requests.value == 4)
            await server.wait { $0.closedCount == 1 }
            #expect(transport.openCount(url) == 1)
        }
    }

    /// A server that refuses a fresh connection, too, does not get one for each request.
    @Test(arguments: [false, true]) func aServerThatAlwaysRefusesGetsTwoConnections(isHTTP2: Bool) async throws {
        let requests = Counter()
        try await HTTP2Server.run(protocols: [isHTTP2 ? "h2" : "http/1.1"]) { connection in
            try await Self.serve(connection, isHTTP2: isHTTP2, 421, requests)
        } _: { server, transport, url in
            for _ in 0..<3 {
                let response = try await transport.send(.get, url)
                #expect(response.head.status == .misdirectedRequest)
                let bytes = try await response.body.collect(upTo: 10)
                #expect(bytes == Array("ok".utf8))
            }
            #expect(server.connectionCount == 2 && requests.value == 4)
        }
    }

    @Test func theMemoryEnds() throws {
        let servers = MisdirectingServers()
        let now = NIODeadline.uptimeNanoseconds(1)
        let keys = try (0..<100).map { PoolKey(origin: try TargetURL("https://server\($0).example/").origin) }
        #expect(!servers.contains(keys[0], at: now))
        servers.insert(keys[0], at: now)
        #expect(servers.contains(keys[0], at: now + .seconds(9)) && !servers.contains(keys[1], at: now))
        #expect(!servers.contains(keys[0], at: now + .seconds(10)))
        // However many there are, few are remembered.
        for key in keys { servers.insert(key, at: now) }
        #expect(keys.filter { servers.contains($0, at: now) }.count <= 64)
        #expect(servers.contains(keys[99], at: now))
    }
}
