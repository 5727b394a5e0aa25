import HTTPTypes
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct LineTests {
    private func stream(_ answer: ScriptedTransport.Answer) async throws -> ConversationStream {
        let manager = HttpConversationManager(transport: ScriptedTransport { _, _ in answer })
        return try await manager.bytes(for: "https://example.com/")
    }

    @Test func nothingFollowsAnError() async throws {
        var lines = try await stream(.init(.ok, body: "123456\nab\n")).lines(maximumLength: 5).makeAsyncIterator()
        await #expect(throws: ConversationError.self) { try await lines.next() }
        #expect(try await lines.next() == nil)
    }

    private func lines(_ chunks: [[UInt8]], limit: Int = 100) async throws -> [String] {
        var lines: [String] = []
        for try await line in try await stream(.init(.ok, chunks: chunks)).lines(maximumLength: limit) {
            lines.append(line)
        }
        return lines
    }

    @Test(
        arguments: [
            ([], []), (["a"], ["a"]), (["a\n"], ["a"]), (["a\nb"], ["a", "b"]), (["a\r\nb\rc\n"], ["a", "b", "c"]),
            (["\n\n"], ["", ""]), (["\r\n\r\n"], ["", ""]), (["\n\r"], ["", ""]), (["a\r", "\nb"], ["a", "b"]),
            (["a\r", "b"], ["a", "b"]), (["a\r", "\n", "\nb"], ["a", "", "b"]), (["a", "b\n", "c"], ["ab", "c"]),
            (["\u{2028}x\n"], ["\u{2028}x"]),
        ] as [([String], [String])])
    func ends(chunks: [String], expected: [String]) async throws {
        let bytes = chunks.map { Array($0.utf8) }
        #expect(try await lines(bytes) == expected)
        // The result is the same for chunks of one byte.
        #expect(try await lines(bytes.joined().map { [$0] }) == expected)
    }

    @Test(arguments: [("xxxxxxxxxxx", false), ("xxxxxxxxxxx\n", false), ("xxxxxxxxxx\n", true)])
    func aLongLine(text: String, fits: Bool) async throws {
        do {
            let found = try await lines([Array(text.utf8)], limit: 10)
            #expect(fits && found.count == 1)
        } catch let error as ConversationError {
            #expect(!fits && error.code == .tooLarge && error.conversationID != nil)
        }
    }

    @Test func aCutBodyFails() async throws {
        var seen: [String] = []
        let stream = try await stream(.init(.ok, body: "a\nbc\n").failing(after: 3))
        let error = await #expect(throws: ConversationError.self) {
            for try await line in stream.lines { seen.append(line) }
        }
        #expect(error?.code == .bodyCut && seen == ["a"])
    }

    /// A line is delivered with its end, and nothing is read before it is asked for.
    @Test func withoutAReaderNothingIsReadAhead() async throws {
        let clock = TestClock()
        let transport = ScriptedTransport(clock: clock) { _, _ in
            .init(.ok, chunks: [Array("a\r".utf8), Array("\nb\n".utf8)]).pausing(.seconds(1))
        }
        let stream = try await HttpConversationManager(transport: transport).bytes(for: "https://example.com/")
        #expect(clock.sleepers == 0)
        let first = Task {
            var iterator = stream.lines.makeAsyncIterator()
            return try await iterator.next()
        }
        await clock.waitForSleepers()
        clock.advance(by: .seconds(1))
        #expect(try await first.value == "a")
        #expect(clock.sleepers == 0)
    }
}
