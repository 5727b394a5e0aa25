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

    /// The body is written at once, and leaves in three seconds.
    @Test(arguments: ["http", "https"]) func bytesThatLeaveAreProgress(scheme: String) async throws {
        let authority = try TestAuthority()
        let transport = NIOTransport.make { $0.tls.trustRoots = .pem(authority.pem) }
        let tls = scheme == "https" ? try authority.serverContext() : nil
        try await RawServer.run(tls: tls, receiveBuffer: 16 << 10) { connection in
            _ = try await connection.readHead()
            // The last ones wait in the buffers of this side, where the client cannot see them leave.
            for index in 0..<40 {
                _ = try await connection.readBytes(20_000)
                if index < 30 { try await Task.sleep(for: .milliseconds(100)) }
            }
            try await connection.respond("ok")
            try await connection.untilClosed()
        } _: { server in
            let body = RequestBody.bytes([UInt8](repeating: 1, count: 800_000))
            let error = await transport.failure(.post, "\(scheme)://localhost:\(server.port)/", body: body) {
                $0.idleTimeout = .seconds(2)
            }
            #expect(error == nil)
        }
        await transport.shutdown()
    }

    /// An answer does not free a server from taking the rest of the body.
    @Test func aServerThatAnswersAndDoesNotRead() async throws {
        let done = Gate()
        try await RawServer.run(receiveBuffer: 4096) { connection in
            _ = try await connection.readHead()
            try await connection.write(
                "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc")
            await done.wait()
        } _: { server in
            let body = RequestBody.stream {
                RequestBodyStream { [UInt8](repeating: 0, count: 1 << 20) }
            }
            let error = await NIOTransport.make().failure(.post, server.url, body: body) {
                $0.idleTimeout = .milliseconds(500)
            }
            done.open()
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("idle timeout") == true)
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
            while transport.openCount(server.url) == 0 { try await Task.sleep(for: .milliseconds(1)) }
            let waiter = await transport.failure(.get, server.url) { $0.connectTimeout = .milliseconds(300) }
            #expect(waiter?.code == .timedOut)
            let words = ["connect timeout", "connections: 1, exchanges on them: 1", "maximumConnectionsPerOrigin"]
            #expect(words.allSatisfy { waiter?.message.contains($0) == true }, "\(waiter?.message ?? "")")
            holder.cancel()
            _ = await holder.value
        }
    }
}
