import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
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
}
