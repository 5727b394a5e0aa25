import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Synchronization
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

    /// Requests that are cancelled at different moments, also just before they are queued, leave the pool's queue.
    @Test func cancelledAtAnyMomentBeforeAConnection() async throws {
        let transport = NIOTransport.make { $0.maximumConnectionsPerOrigin = 1 }
        let gate = Gate()
        let arrived = Counter()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            arrived.add()
            await gate.wait()
            try await connection.respond("ok")
        } _: { server in
            async let first = transport.text(.get, server.url)
            await arrived.wait(for: 1)
            // The loop spins, so it has a thread of its own: the requests run on those of Swift's tasks.
            let others = await Task(executorPreference: ServerExecutor()) {
                await Self.codes(cancelling: transport, server.url)
            }.value.filter { $0 != .cancelled }
            #expect(others.isEmpty, "\(others)")
            #expect(transport.waitingCount(server.url) == 0)
            gate.open()
            _ = try await first
        }
    }

    /// Cancels requests up to some tens of thousands of steps after each has begun, at a thousand moments.
    private static func codes(cancelling transport: NIOTransport, _ url: String) async -> [ConversationError.Code?] {
        var codes: [ConversationError.Code?] = []
        for moment in 0..<1000 {
            let mark = Mark()
            let task = Task {
                mark.hasBegun.store(true, ordering: .releasing)
                return await transport.failure(.get, url)?.code
            }
            while !mark.hasBegun.load(ordering: .acquiring) {}
            for _ in 0..<moment * 30 { _ = mark.hasBegun.load(ordering: .acquiring) }
            task.cancel()
            codes.append(await task.value)
        }
        return codes
    }

    private final class Mark: Sendable {
        let hasBegun = Atomic(false)
    }
}
