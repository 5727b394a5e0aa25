import HttpConversation
import HttpConversationTesting
import Testing

@Suite struct OpenedBodyTests {
    private struct Numbers: RequestBodySource {
        func open() async throws(ConversationError) -> OpenedRequestBody {
            OpenedRequestBody(length: 2) { OpenedBodyTests.stream([1, 2]) }
        }
    }

    private static func stream(_ bytes: [UInt8]) -> RequestBodyStream {
        RequestBodyStream(
            AsyncStream {
                $0.yield(bytes)
                $0.finish()
            })
    }

    @Test(
        arguments: [
            (RequestBody.bytes([]), 0, []), (.text("a"), 1, [97]),
            (.bytes([UInt8](repeating: 1, count: 300_000)), 300_000, nil),
            (.source(Numbers()), 2, [1, 2]), (.stream { stream([3]) }, nil, [3]),
            (.stream(length: 1) { stream([3]) }, 1, [3]),
        ] as [(RequestBody, Int?, [UInt8]?)])
    func everyKindIsReadAsOftenAsNeeded(body: RequestBody, length: Int?, bytes: [UInt8]?) async throws {
        let opened = try await body.open()
        #expect(opened.length == length)
        for _ in 1...2 {
            let stream = try await opened.stream()
            var all: [UInt8] = []
            while let chunk = try await stream.next() {
                #expect(chunk.count <= 128 << 10)
                all += chunk
            }
            if let bytes { #expect(all == bytes) } else { #expect(all.count == length) }
        }
    }

    /// When an exchange is sent again, its first writer may begin only now.
    @Test func onlyTheLastOpenedStreamReadsAOneShotBody() async throws {
        let opened = try await RequestBody.oneShot(length: 1, Self.stream([7])).open()
        let (first, second) = (try await opened.stream(), try await opened.stream())
        await #expect(throws: CancellationError.self) { try await first.next() }
        #expect(try await second.next() == [7])
        await #expect(throws: CancellationError.self) { try await first.next() }
    }

    @Test func aOneShotBodyIsOpenedUntilItIsRead() async throws {
        let body = RequestBody.oneShot(length: 1, Self.stream([7]))
        let late = try await body.open()
        let opened = try await body.open()
        // Earlier openings are too late, even with a new reader.
        let stream = try await opened.stream()
        await #expect(throws: CancellationError.self) { try await late.stream().next() }
        #expect(try await stream.next() == [7])
        #expect(await failureCode { try await body.open() } == .bodyNotReplayable)
    }
}
