import HTTPTypes
import HttpConversation
import HttpConversationNIO
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

    @Test func serverThatDoesNotRead() async throws {
        let done = Gate()
        try await RawServer.run(receiveBuffer: 4096) { connection in
            _ = try await connection.readHead()
            await done.wait()
        } _: { server in
            let error = await NIOTransport.make { $0.expectContinueThreshold = .max }.failure(
                .put, server.url, body: .bytes([UInt8](repeating: 0, count: 32 << 20))
            ) { $0.idleTimeout = .milliseconds(300) }
            done.open()
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("idle timeout") == true)
        }
    }

    /// Neither a consumer nor a source that takes its time uses up the peer's limit.
    @Test func slownessOfOurOwnIsNotIdle() async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            _ = try await connection.readBytes(2)
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: \(8 << 20)\r\n\r\n")
            try await connection.write([UInt8](repeating: 7, count: 8 << 20))
            try await connection.untilClosed()
        } _: { server in
            let source = RequestBody.stream(length: 2) {
                let count = Counter()
                return RequestBodyStream {
                    guard count.add() <= 2 else { return nil }
                    try await Task.sleep(for: .milliseconds(500))
                    return [1]
                }
            }
            let response = try await NIOTransport.make().send(.post, server.url, body: source) {
                $0.idleTimeout = .milliseconds(400)
            }
            _ = try await response.body.next()
            try await Task.sleep(for: .milliseconds(900))
            let rest = try await response.body.collect(upTo: 16 << 20)
            #expect(rest.count > 4 << 20)
        }
    }

    @Test func wholeExchange() async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
            // Always alive, never done.
            while true {
                try await connection.write("1\r\na\r\n")
                try await Task.sleep(for: .milliseconds(5))
            }
        } _: { server in
            let error = await NIOTransport.make().failure(.get, server.url) { $0.timeLimit = .milliseconds(300) }
            #expect(error?.code == .timedOut)
            #expect(error?.message.contains("time limit") == true)
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

    @Test func refusedAndUnresolved() async throws {
        let port = try await RawServer.run { _ in
        } _: {
            $0.port
        }
        let refused = await NIOTransport.make().failure(.get, "http://127.0.0.1:\(port)/")
        #expect(refused?.code == .connectionFailed)
        #expect(refused?.message.contains("127.0.0.1:\(port)") == true)
        let named = await NIOTransport.make().failure(.get, "http://localhost:\(port)/")
        #expect(named?.code == .connectionFailed)
        let unresolved = await NIOTransport.make().failure(.get, "http://no-such-host.invalid:81/")
        #expect(unresolved?.code == .hostNotResolved)
        #expect(unresolved?.message.contains("no-such-host.invalid") == true)
        #expect(unresolved?.message.contains("81") == true)
    }
}
