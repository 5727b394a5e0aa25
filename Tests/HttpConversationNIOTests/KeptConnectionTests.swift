import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationTesting
import Testing

@testable import HttpConversationNIO

/// Connections that are kept between two requests.
@Suite(.timeLimit(.minutes(1))) struct KeptConnectionTests {
    /// Sends two requests, and returns the number of connections.
    ///
    /// - Parameters:
    ///   - fields: of each response
    ///   - pause: the time for which the machine is suspended between them
    private static func connections(fields: String = "", pause: Duration) async throws -> Int {
        let clock = TestClock()
        let transport = NIOTransport.make { $0.clock = clock }
        return try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                try await connection.respond("ok", headers: fields)
            }
        } _: { server in
            // Nothing of a POST may be sent on a connection that the server has given up.
            _ = try await transport.text(.post, server.url)
            clock.advance(by: pause)
            _ = try await transport.text(.post, server.url)
            return server.connectionCount
        }
    }

    /// A suspended machine does not know that its connections have ended.
    @Test(arguments: [(50, 1), (3600, 2)]) func suspension(seconds: Int, count: Int) async throws {
        let connections = try await Self.connections(pause: .seconds(seconds))
        #expect(connections == count)
    }

    @Test(arguments: [(50, 1), (3600, 2)]) func suspensionOverHTTP2(seconds: Int, count: Int) async throws {
        let clock = TestClock()
        try await HTTP2Server.run {
            $0.clock = clock
        } script: { connection in
            try await HTTP2Peer.accept(connection).serve()
        } _: { server, transport, url in
            try await transport.expect("ok", .get, url)
            clock.advance(by: .seconds(seconds))
            try await transport.expect("ok", .get, url)
            #expect(server.connectionCount == count)
        }
    }

    /// The server says how long it waits for another request.
    @Test(arguments: [
        ("timeout=20", 12, 1), ("timeout=20", 20, 2), ("max=100, Timeout = 20", 12, 1),
        ("max=100, Timeout = 20", 20, 2), ("timeout=0", 0, 2), ("timeout=1", 1, 2), ("timeout=86400", 50, 1),
        ("timeout=86400", 60, 2), ("timeout=99999999999999999999999", 50, 1), ("timeout=-1", 50, 1),
        ("timeout=x, max", 50, 1), ("", 50, 1), ("timeout", 50, 1),
    ])
    func announcedTime(value: String, seconds: Int, count: Int) async throws {
        let connections = try await Self.connections(fields: "Keep-Alive: \(value)\r\n", pause: .seconds(seconds))
        #expect(connections == count)
    }

    /// The connection is closed before the server closes it.
    @Test func theAnnouncedTimeEnds() async throws {
        let transport = NIOTransport.make()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.respond("ok", headers: "Keep-Alive: timeout=1\r\n")
            try await connection.untilClosed()
        } _: { server in
            _ = try await transport.text(.get, server.url)
            await server.wait { $0.closedCount == 1 }
        }
    }
}
