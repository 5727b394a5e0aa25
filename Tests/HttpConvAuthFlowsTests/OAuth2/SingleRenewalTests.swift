import HTTPTypes
import HttpConvAuthFlowsTesting
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvAuthFlows

@Suite("OAuth2: one refresh for everybody", .timeLimit(.minutes(1)))
struct SingleRenewalTests {
    private static let urls = (0..<1000).map { "\(TokenServer.api)/\($0)" }

    private func hold(_ bench: OAuth2Bench) -> Gate {
        let gate = Gate()
        bench.server.tokenGate.withLock { $0 = gate }
        return gate
    }

    @Test(arguments: [true, false]) func aThousandConversationsCostOneRefresh(knownExpired: Bool) async throws {
        let bench = try OAuth2Bench()
        // The tokens are renewed ahead of the request, or after a 401 for each.
        try await bench.store("old", "r1", endsIn: knownExpired ? -1 : 3600, isValid: false)
        let gate = hold(bench)
        async let responses = bench.manager.getAll(Self.urls)
        await bench.waitForRenewal(1000)
        gate.open()
        let texts = await responses.map { try? $0.get().text }
        #expect(texts.allSatisfy { $0 == "item for access-1" })
        #expect(texts.count == 1000)
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.server.now.reuses == 0)
        #expect(bench.server.now.challenges == (knownExpired ? 0 : 1000))
        #expect(Set(bench.server.now.calls.map(\.path)).count == 1000)
    }

    @Test func aThousandConversationsCostOneLogin() async throws {
        let bench = try OAuth2Bench()
        let gate = hold(bench)
        async let responses = bench.manager.getAll(Self.urls)
        await bench.waitForRenewal(1000)
        gate.open()
        let succeeded = await responses.count { (try? $0.get().status) == .ok }
        #expect(succeeded == 1000)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.count("authorization_code") == 1)
    }

    @Test func aFailedRefreshFailsEveryWaiterOnce() async throws {
        let bench = try OAuth2Bench()
        try await bench.store("old", "r1", isValid: false)
        bench.server.override { _ in .init(.serviceUnavailable) }
        let gate = hold(bench)
        async let responses = bench.manager.getAll(Self.urls)
        await bench.waitForRenewal(1000)
        gate.open()
        let codes = await responses.map { result -> OAuth2Error.Code? in
            guard case .failure(let error as ConversationError) = result else { return nil }
            return (error.underlyingError as? OAuth2Error)?.code
        }
        #expect(codes.allSatisfy { $0 == .temporarilyUnavailable })
        #expect(bench.server.now.grants == ["refresh_token": 1])
    }

    /// All who wait for a refresh ahead of the tokens' end get the same failure, and send what they can send.
    @Test(arguments: [true, false]) func aRefreshThatFailsAheadIsTriedOnce(isExpired: Bool) async throws {
        let bench = try OAuth2Bench()
        try await bench.store("old", "r1", endsIn: isExpired ? -1 : 30)
        bench.server.override { _ in .init(.serviceUnavailable) }
        let gate = hold(bench)
        async let responses = bench.manager.getAll(Array(Self.urls.prefix(100)))
        await bench.waitForRenewal(100)
        gate.open()
        let sent = await responses.count { (try? $0.get().text) == "item for old" }
        #expect(sent == (isExpired ? 0 : 100))
        #expect(bench.server.now.grants == ["refresh_token": 1])
        #expect(bench.server.now.calls.count == (isExpired ? 0 : 100))
    }

    /// A conversation whose exchange was in flight when the person cancelled does not ask again.
    @Test func aNoIsAlsoForThoseWhoseExchangeWasOnTheWire() async throws {
        let bench = try OAuth2Bench(
            web: ScriptedOAuth2WebStrategy { _, _ in throw OAuth2Error(.cancelled, "closed") })
        let gate = Gate()
        let (arrived, continuation) = AsyncStream<Void>.makeStream()
        let inner = bench.transport
        let transport = ScriptedTransport { request, _ throws(ConversationError) in
            if request.target.path.hasSuffix("late") {
                continuation.yield()
                await gate.pass()
            }
            let head = try await inner.send(request).head
            return .init(head.status, head.headerFields)
        }
        let manager = HttpConversationManager(transport: transport, configuration: bench.manager.configuration)
        let late = Task { try await manager.get("\(TokenServer.api)/late") }
        for await _ in arrived { break }
        await #expect { _ = try await manager.get(TokenServer.api) } throws: {
            ($0 as? ConversationError)?.code == .cancelled
        }
        gate.open()
        let result = await late.result
        #expect { _ = try result.get() } throws: { ($0 as? ConversationError)?.code == .cancelled }
        #expect(bench.web.opened.count == 1)
        // A later conversation asks again.
        await #expect(throws: ConversationError.self) { _ = try await manager.get(TokenServer.api) }
        #expect(bench.web.opened.count == 2)
    }

    /// All conversations get the server's refusal, without a login for each.
    @Test func aServerThatAcceptsNothingCostsOneRefreshAndOneLogin() async throws {
        let bench = try OAuth2Bench()
        try await bench.store("old", "r1", isValid: false)
        bench.server.update { $0.acceptsNothing = true }
        let gate = hold(bench)
        async let responses = bench.manager.getAll(Array(Self.urls.prefix(100)))
        await bench.waitForRenewal(100)
        gate.open()
        let failures = await responses.count { if case .failure = $0 { true } else { false } }
        #expect(failures == 100)
        #expect(bench.web.opened.count == 1)
        #expect(bench.server.count("refresh_token") == 1)
    }

    @Test func aWaiterThatLeavesDoesNotTakeTheOthersAlong() async throws {
        let bench = try OAuth2Bench()
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        let gate = hold(bench)
        let leaving = Task { try await bench.get() }
        await bench.waitForRenewal(1)
        let staying = Task { try await bench.get() }
        await bench.waitForRenewal(2)
        leaving.cancel()
        await #expect(throws: (any Error).self) { try await leaving.value }
        gate.open()
        #expect(try await staying.value.text == "item for access-1")
    }

    /// All waiters are cancelled after the server has replaced the refresh token: the answer is stored nevertheless,
    /// and the next conversation uses it.
    @Test func aRefreshThatEverybodyLeftIsNotLost() async throws {
        let bench = try OAuth2Bench()
        try await bench.store("old", "r1", endsIn: -1, isValid: false)
        let gate = hold(bench)
        let leaving = Task { try await bench.get() }
        await bench.waitForRenewal(1)
        while bench.server.count("refresh_token") == 0 { await Task.yield() }
        leaving.cancel()
        _ = try? await leaving.value
        let next = Task { try await bench.get() }
        await bench.waitForRenewal(1)
        gate.open()
        #expect(try await next.value.text == "item for access-1")
        #expect(bench.server.count("refresh_token") == 1)
        #expect(bench.server.now.reuses == 0)
        #expect(bench.web.opened.isEmpty)
    }

    /// Two configurators with one storage behave like two processes: the lease keeps their refreshes apart.
    @Test func theLeaseKeepsTwoFlowsApart() async throws {
        let (server, storage) = (TokenServer(), InMemoryTokenStorage())
        let first = try OAuth2Bench(server: server, storage: storage)
        let second = try OAuth2Bench(server: server, storage: storage)
        try await first.store("old", "r1", endsIn: -1, isValid: false)
        let gate = hold(first)
        async let one = first.get()
        await first.waitForRenewal(1)
        while server.count("refresh_token") == 0 { await Task.yield() }
        async let two = second.get()
        await second.waitForRenewal(1)
        gate.open()
        #expect(try await one.text == "item for access-1")
        #expect(try await two.text == "item for access-1")
        #expect(server.count("refresh_token") == 1)
        #expect(server.now.reuses == 0)
    }
}
