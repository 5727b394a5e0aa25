import HTTPTypes
import HttpConversation
import HttpConversationNIO
import Testing

@Suite(.timeLimit(.minutes(1))) struct CancellationTests {
    /// Runs a request in a task, waits for `stage`, cancels, and expects the error at once.
    private func cancelled(
        _ transport: NIOTransport, _ url: String, body: RequestBody? = nil, when stage: () async -> Void
    ) async -> ConversationError.Code? {
        let task = Task { await transport.failure(.post, url, body: body)?.code }
        await stage()
        task.cancel()
        return await task.value
    }

    @Test func beforeItBegins() async throws {
        let code = await cancelled(.make(), "http://127.0.0.1:1/", when: {})
        #expect(code == .cancelled || code == .connectionFailed)
        let early = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await NIOTransport.make().failure(.get, "http://127.0.0.1:1/")?.code
        }
        #expect(await early.value == .cancelled)
    }

    @Test func waitingForThePool() async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let gate = Gate()
        let arrived = Counter()
        try await RawServer.run { connection in
            while true {
                _ = try await connection.readHead()
                arrived.add()
                await gate.wait()
                try await connection.respond("ok")
            }
        } _: { server in
            async let first = transport.text(.get, server.url)
            await arrived.wait(for: 1)
            let code = await cancelled(transport, server.url) {
                while transport.waitingCount(server.url) == 0 { await Task.yield() }
            }
            #expect(code == .cancelled)
            #expect(transport.waitingCount(server.url) == 0)
            gate.open()
            _ = try await first
            #expect(arrived.value == 1)
        }
    }

    @Test func inTheHandshake() async throws {
        let arrived = Gate()
        try await RawServer.run { connection in
            _ = try await connection.read()
            arrived.open()
            try await connection.untilClosed()
        } _: { server in
            let code = await cancelled(.make(), "https://localhost:\(server.port)/") { await arrived.wait() }
            #expect(code == .cancelled)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func whileSending() async throws {
        let arrived = Gate()
        let ended = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            _ = try await connection.readBytes(1)
            arrived.open()
            try await connection.untilClosed()
        } _: { server in
            let body = RequestBody.stream(length: 1000) {
                let first = Counter()
                return RequestBodyStream {
                    if first.add() == 1 { return [1] }
                    // Waits until its task is cancelled.
                    await withTaskCancellationHandler {
                        await ended.wait()
                    } onCancel: {
                        ended.open()
                    }
                    throw CancellationError()
                }
            }
            let code = await cancelled(.make(), server.url, body: body) { await arrived.wait() }
            #expect(code == .cancelled)
            await server.wait { $0.closedCount == 1 }
            await ended.wait()
        }
    }

    @Test(arguments: ["", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc"])
    func whileReceiving(begun: String) async throws {
        let arrived = Gate()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(begun)
            arrived.open()
            try await connection.untilClosed()
        } _: { server in
            let code = await cancelled(.make(), server.url) { await arrived.wait() }
            #expect(code == .cancelled)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func droppedBodyEndsTheExchange() async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc")
            try await connection.untilClosed()
        } _: { server in
            var response: TransportResponse? = try await NIOTransport.make().send(.get, server.url)
            _ = try await response?.body.next()
            response = nil
            await server.wait { $0.closedCount == 1 }
        }
    }
}
