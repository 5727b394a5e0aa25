import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// The test moves the clock, so bytes that have not arrived by then are really held back.
@Suite(.timeLimit(.minutes(1))) struct RateLimitTests {
    private let clock = TestClock()

    private func manager(_ rate: Int, _ answer: @escaping @Sendable (TransportRequest) -> ScriptedTransport.Answer)
        -> HttpConversationManager
    {
        let transport = ScriptedTransport(clock: clock) { request, _ in answer(request) }
        return HttpConversationManager(transport: RateLimitedTransport(transport, bytesPerSecond: rate, clock: clock))
    }

    /// Waits for a chunk, and checks that it does not come before its time.
    private func late(_ next: @escaping @Sendable () async throws -> [UInt8]?) async throws -> [UInt8] {
        let waiting = Task { try await next() }
        await clock.waitForSleepers()
        clock.advance(by: .milliseconds(50))
        #expect(clock.sleepers == 1)
        clock.advance(by: .milliseconds(51))
        return try await waiting.value ?? []
    }

    @Test func downloadsKeepToTheRate() async throws {
        let bytes = (0..<100).map { UInt8($0) }
        let manager = manager(100) { _ in .init(.ok, chunks: [Array(bytes[..<60]), Array(bytes[60...])]) }
        let body = try await manager.bytes(for: HTTPRequest(.get, "https://example.com/")).body
        var received = try await body.next() ?? []
        #expect(received.count == 10)
        while received.count < 100 { received += try await late { try await body.next() } }
        #expect(received == bytes)
        #expect(try await body.next() == nil)
    }

    @Test(arguments: [true, false]) func uploadsKeepToTheRate(isOneShot: Bool) async throws {
        let bytes = [UInt8](repeating: 1, count: 100)
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        continuation.yield(bytes)
        continuation.finish()
        let body = isOneShot ? RequestBody.oneShot(length: 100, chunks) : .bytes(bytes)
        let bucket = TokenBucket(bytesPerSecond: 100, clock: clock)
        let limited = body.rateLimited { bucket }
        #expect(limited.isRestartable == !isOneShot)
        let opened = try await limited.open()
        #expect(opened.length == 100)
        let stream = try await opened.stream()
        #expect(try await stream.next()?.count == 10)
        var count = 10
        while count < 100 { count += try await late { try await stream.next() }.count }
        #expect(try await stream.next() == nil)
        #expect(body.isReplayable == !isOneShot)
    }

    @Test func cancellingEndsTheWait() async throws {
        let manager = manager(1) { _ in .init(.ok, chunks: [[1, 2, 3]]) }
        let reading = Task { try await manager.get("https://example.com/") }
        await clock.waitForSleepers()
        reading.cancel()
        #expect(await failureCode { try await reading.value } == .cancelled)
    }

    /// The limit of a body's bytes also holds behind a rate limit.
    @Test func theByteLimitStillApplies() async throws {
        let transport = ScriptedTransport(clock: clock) { _, _ in
            .init(.ok, chunks: [[UInt8](repeating: 1, count: 500)])
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.maximumBodyBytes = 100
        let manager = HttpConversationManager(
            transport: RateLimitedTransport(transport, bytesPerSecond: 1 << 20, clock: clock),
            configuration: configuration)
        #expect(await failureCode { try await manager.get("https://example.com/") } == .tooLarge)
    }
}
