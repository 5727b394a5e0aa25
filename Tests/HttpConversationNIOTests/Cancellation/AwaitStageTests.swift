import HTTPTypes
import HttpConversation
import HttpConversationConformance
import TestSupport
import Testing

@testable import HttpConversationNIO

/// A cancelled exchange ends at once and leaves nothing, wherever it waits.
@Suite(.serialized, .timeLimit(.minutes(1))) struct AwaitStageTests {
    @Test(arguments: AwaitStage.allCases, [ProtocolVersion.http11, .http2])
    func leavesNothing(stage: AwaitStage, version: ProtocolVersion) async throws {
        let authority = try TestAuthority()
        let arrived = Gate()
        let script = stage.script(version, arrived)
        try await RawServer.run(tls: stage.context(authority, version), script: script) { server async throws in
            let leftovers = Leftovers(port: server.port)
            await Self.cancel(stage, authority, arrived, server, leftovers)
            let left = await leftovers.names()
            #expect(left.isEmpty)
            if left.isEmpty, stage != .upload { await server.wait { $0.closedCount == $0.connectionCount } }
        }
    }

    private static func cancel(
        _ stage: AwaitStage, _ authority: TestAuthority, _ arrived: Gate, _ server: RawServer, _ leftovers: Leftovers
    ) async {
        let transport = leftovers.watch(
            NIOTransport.make {
                $0.tls.trustRoots = .pem(authority.pem)
                stage.configure(&$0)
            }, as: "transport")
        let url = "https://localhost:\(server.port)/"
        let tasks = (0..<(stage == .place ? 2 : 1)).map { index in
            let canary = leftovers.watch(Canary(), as: "canary \(index)")
            return Task {
                await transport.failure(.post, url, body: stage.body(canary)) { stage.change(&$0, arrived, canary) }
            }
        }
        await arrived.wait()
        if stage == .place { while transport.waitingCount(url) == 0 { await Task.yield() } }
        #expect(leftovers.now.contains("transport"))
        #expect(leftovers.now.contains("socket"))
        // The oldest first, while the thing that it waits for is still held.
        for task in tasks.reversed() {
            let start = ContinuousClock.now
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            #expect(ContinuousClock.now - start < .seconds(5))
        }
        #expect(transport.waitingCount(url) == 0)
        await transport.shutdown()
    }

    @Test func leavesNothingOfTheTCPConnection() async throws {
        let listener = try SilentListener(accepts: false)
        let leftovers = Leftovers(port: listener.port)
        func cancel() async {
            let transport = leftovers.watch(NIOTransport.make(), as: "transport")
            let url = "http://127.0.0.1:\(listener.port)/"
            let task = Task { await transport.failure(.get, url) }
            // There is no event for this condition, so it is polled.
            while leftovers.socketCount == 0 { try? await Task.sleep(for: .milliseconds(5)) }
            task.cancel()
            #expect(await task.value?.code == .cancelled)
            await transport.shutdown()
        }
        await cancel()
        let left = await leftovers.names()
        #expect(left.isEmpty)
    }

    @Test func cancelsEveryCheckOfAnAttempt() async throws {
        let attempt = ConnectAttempt(key: PoolKey(origin: try TargetURL("https://localhost/").origin))
        let judged = Gate()
        attempt.check {
            try? await Task.sleep(for: .seconds(3600))
            judged.open()
        }
        attempt.check {}
        attempt.cancel()
        await judged.wait()
        #expect(!attempt.isChecking)
    }

    // MARK: The check finds leftovers

    @Test func aLeakedContinuationIsFound() async throws {
        let leftovers = Leftovers(port: 1)
        let begun = Gate()
        let kept = Kept()
        let canary = leftovers.watch(Canary(), as: "canary")
        _ = Task { [canary] in
            await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
                kept.continuation = continuation
                begun.open()
            }
            withExtendedLifetime(canary) {}
        }
        await begun.wait()
        #expect(await leftovers.names(within: .milliseconds(100)) == ["canary"])
        kept.continuation?.resume()
    }

    @Test func aTransportAndItsConnectionAreFound() async throws {
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.respond("ok")
            try await connection.untilClosed()
        } _: { server in
            let leftovers = Leftovers(port: server.port)
            let transport = leftovers.watch(NIOTransport.make(), as: "transport")
            let text = try await transport.text(.get, server.url)
            #expect(text == "ok")
            #expect(await leftovers.names(within: .milliseconds(100)) == ["transport", "socket"])
            await transport.shutdown()
            #expect(await leftovers.names(within: .milliseconds(100)) == ["transport"])
        }
    }
}

/// Used by one task, then by another.
private final class Kept: @unchecked Sendable {
    // Written before the gate opens, and read after it.
    var continuation: UnsafeContinuation<Void, Never>?
}
