import HTTPTypes
import HttpConversation
import HttpConversationTesting
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(1))) struct ScriptedTransportTests {
    private let clock = TestClock()
    private static let url = HTTPRequest(method: .get, scheme: "https", authority: "example.com", path: "/")

    private func manager(_ answer: ScriptedTransport.Answer) -> HttpConversationManager {
        HttpConversationManager(transport: ScriptedTransport(clock: clock) { _, _ in answer })
    }

    /// The consumer's view: the chunks, and the code of the error that ends them.
    private static func read(_ manager: HttpConversationManager) async -> [String] {
        var seen: [String] = []
        do throws(ConversationError) {
            let stream = try await manager.bytes(for: url)
            seen.append("\(stream.status.code) \(stream.expectedLength.map(String.init) ?? "?")")
            while let chunk = try await stream.body.next() { seen.append(String(decoding: chunk, as: UTF8.self)) }
        } catch { seen.append("\(error.code)") }
        return seen
    }

    @Test(
        arguments: [
            (.init(.ok, body: "hello"), ["200 5", "hello"]), (.init(.ok, bytes: [65, 66]), ["200 2", "AB"]),
            (.init(.noContent), ["204 0"]), (.init(.ok, chunks: [[65], [], [66]]), ["200 ?", "A", "", "B"]),
            (.failure(ConversationError(.tlsFailed, "no")), ["tlsFailed"]),
            (.init(.ok, body: "hello").failing(after: 2), ["200 5", "he", "bodyCut"]),
            (.init(.ok, body: "hello").failing(after: 0), ["200 5", "bodyCut"]),
            (.init(.ok, body: "hello").failing(after: 9), ["200 5", "hello", "bodyCut"]),
            (
                .init(.ok, chunks: [[65, 66], [67], [68]]).failing(
                    after: 3, with: ConversationError(.timedOut, "late")),
                ["200 ?", "AB", "C", "timedOut"]
            ),
        ] as [(ScriptedTransport.Answer, [String])])
    func answers(answer: ScriptedTransport.Answer, expected: [String]) async {
        #expect(await Self.read(manager(answer)) == expected)
    }

    @Test(
        arguments: [
            .init(.ok, body: "late").delayed(by: .seconds(3)),
            .failure(ConversationError(.connectionFailed, "no")).delayed(by: .seconds(1)).delayed(by: .seconds(2)),
        ] as [ScriptedTransport.Answer])
    func delaysTakeTheTimeOfTheClock(answer: ScriptedTransport.Answer) async {
        let seen = Mutex<[String]?>(nil)
        let manager = manager(answer)
        let reading = Task {
            let read = await Self.read(manager)
            seen.withLock { $0 = read }
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(2))
        #expect(clock.sleepers == 1 && seen.withLock { $0 } == nil)
        clock.advance(by: .seconds(1))
        await reading.value
        #expect(seen.withLock { $0?.isEmpty } == false)
    }

    @Test func chunksComeOneByOne() async throws {
        let stream = try await manager(.init(.ok, chunks: [[1], [2]]).pausing(.seconds(1))).bytes(for: Self.url)
        for byte in [1, 2] as [UInt8] {
            async let chunk = stream.body.next()
            await clock.waitForSleepers()
            clock.advance(by: .seconds(1))
            #expect(try await chunk == [byte])
        }
        #expect(try await stream.body.next() == nil)
    }

    /// Cancelled during the delay before the head, and during a pause of the body.
    @Test(
        arguments: [
            .init(.ok).delayed(by: .seconds(9)), .init(.ok, body: "a").pausing(.seconds(9)),
        ] as [ScriptedTransport.Answer])
    func cancellingEndsTheWait(answer: ScriptedTransport.Answer) async {
        let manager = manager(answer)
        let reading = Task { await Self.read(manager) }
        await clock.waitForSleepers()
        reading.cancel()
        #expect(await reading.value.last == "cancelled")
        #expect(clock.sleepers == 0)
    }

    @Test func aClockWakesInOrder() async throws {
        let clock = TestClock()
        let before = clock.now
        try await clock.sleep(until: before, tolerance: nil)
        let tasks = [3, 1, 2].map { seconds in Task { try await clock.sleep(for: .seconds(seconds)) } }
        await clock.waitForSleepers(3)
        clock.advance(by: .seconds(1))
        try await tasks[1].value
        #expect(clock.sleepers == 2 && clock.now - before == .seconds(1))
        tasks[0].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[0].value }
        clock.advance(by: .seconds(1))
        try await tasks[2].value
        #expect(clock.sleepers == 0)
    }
}
