import HTTPTypes
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct PeekTests {
    /// An event stream: one chunk, then silence until the test says more.
    @Test func peekingAtASilentStreamNeitherHangsNorEndsIt() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = PausingBody(chunks)
        let body = ResponseBody(source)
        continuation.yield(Array("event".utf8))
        let response = ReceivedResponse(
            request: try ConversationRequest(HTTPRequest(.get, "http://h/")), head: HTTPResponse(status: .ok),
            canBeRepeated: true, body: body, peekTimeout: .milliseconds(50), clock: ContinuousClock())
        #expect(try await response.peek(upTo: 3) == Array("eve".utf8))
        #expect(try await response.peek(upTo: 1000) == Array("event".utf8))
        #expect(!source.isCancelled)
        continuation.yield(Array(" two".utf8))
        continuation.finish()
        #expect(try await body.collect(upTo: 100) == Array("event two".utf8))
    }

    @Test func aConsumerThatIsCancelledDuringAReadAheadEndsTheExchange() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = PausingBody(chunks)
        let body = ResponseBody(source)
        #expect(try await body.prefetch(upTo: 10, within: .milliseconds(20), clock: ContinuousClock()).isEmpty)
        let consumer = Task { try await body.next() }
        consumer.cancel()
        while !source.isCancelled { await Task.yield() }
        continuation.finish()
        _ = try? await consumer.value
    }

    @Test func droppingABodyCancelsItsExchange() {
        let source = PausingBody(AsyncStream<[UInt8]>.makeStream().stream)
        do { _ = ResponseBody(source) }
        #expect(source.isCancelled)
    }
}

private final class PausingBody: TransportBody {
    private let chunks: AsyncStream<[UInt8]>
    private let cancelled = Box(false)

    init(_ chunks: AsyncStream<[UInt8]>) { self.chunks = chunks }

    var isCancelled: Bool { cancelled.value }

    func next() async throws(ConversationError) -> [UInt8]? {
        var iterator = chunks.makeAsyncIterator()
        return await iterator.next()
    }

    func cancel() { cancelled.update { $0 = true } }
}
