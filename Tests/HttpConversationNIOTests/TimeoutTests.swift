import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

@Suite(.timeLimit(.minutes(1))) struct TimeoutTests {
    @Test(arguments: [
        ("", "before it answered"), ("HTTP/1.1 200", "head"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc", "body"),
    ])
    func idleServer(begun: String, stage: String) async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(begun)
            try await connection.untilClosed()
        } _: { server in
            let error = await NIOTransport.make().failure(.get, server.url) { $0.idleTimeout = .seconds(2) }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("idle timeout") == true)
            #expect(error?.message.contains(stage) == true)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func connectingIncludesTLSAndThePool() async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let arrived = Gate()
        try await RawServer.run { connection in
            _ = try await connection.read()
            arrived.open()
            try await connection.untilClosed()
        } _: { server in
            let handshake = await transport.failure(.get, "https://localhost:\(server.port)/") {
                $0.connectTimeout = .milliseconds(300)
            }
            #expect(handshake?.code == .timedOut)
            #expect(handshake?.message.contains("connect timeout") == true)
            await server.wait { $0.closedCount == 1 }

            let holder = Task { await transport.failure(.get, server.url) }
            await arrived.wait()
            while transport.openCount(server.url) == 0 { await Task.yield() }
            let waiter = await transport.failure(.get, server.url) { $0.connectTimeout = .milliseconds(300) }
            #expect(waiter?.code == .timedOut)
            holder.cancel()
            _ = await holder.value
        }
    }
}
