import Foundation
import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct PeekTests {
    /// An event stream: one chunk, then silence until the test yields more.
    @Test func peekingAtASilentStreamNeitherHangsNorEndsIt() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = PausingBody(chunks)
        let body = ResponseBody(source)
        // It stands still until the first chunk has been read.
        let clock = TestClock()
        continuation.yield(Array("event".utf8))
        let response = ReceivedResponse(
            request: try ConversationRequest(HTTPRequest(.get, "http://h/")), head: HTTPResponse(status: .ok),
            context: try testContext(), body: body, peekTimeout: .milliseconds(50),
            clock: clock)
        #expect(try await response.peek(upTo: 3) == Array("eve".utf8))
        let passing = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers()
                clock.advance(by: .milliseconds(50))
            }
        }
        defer { passing.cancel() }
        #expect(try await response.peek(upTo: 1000) == Array("event".utf8))
        #expect(try await !response.peekChunks(upTo: 1000).isWhole)
        #expect(!source.isCancelled)
        continuation.yield(Array(" two".utf8))
        continuation.finish()
        #expect(try await body.collect(upTo: 100) == Array("event two".utf8))
    }

    @Test func aConsumerAfterATimedOutPeekGetsEachChunkAtOnce() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = PausingBody(chunks)
        let body = ResponseBody(source)
        continuation.yield(Array("a".utf8))
        // The first chunk has arrived, however busy the machine is.
        _ = try await body.prefetch(upTo: 1, within: .seconds(60), clock: ContinuousClock())
        let start = try await body.prefetch(upTo: 1000, within: .milliseconds(20), clock: ContinuousClock())
        #expect(start == Array("a".utf8))
        #expect(try await body.next() == Array("a".utf8))
        continuation.yield(Array("b".utf8))
        #expect(try await body.next() == Array("b".utf8))
        continuation.yield(Array("c".utf8))
        #expect(try await body.next() == Array("c".utf8))
        continuation.finish()
        #expect(try await body.next() == nil)
    }

    /// The second peek joins the read-ahead of the first one, which then goes on to the larger number.
    @Test func aPeekForMoreAfterATimedOutPeekWaitsForMore() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let body = ResponseBody(PausingBody(chunks))
        #expect(try await body.prefetch(upTo: 3, within: .milliseconds(20), clock: ContinuousClock()).isEmpty)
        for _ in 1...4 { continuation.yield(Array("abcd".utf8)) }
        let more = try await body.prefetch(upTo: 13, within: .seconds(60), clock: ContinuousClock())
        #expect(more.count == 16)
        continuation.finish()
        #expect(try await body.collect(upTo: 100).count == 16)
    }

    /// A search for a login reads a page that the caller has asked for compressed. The caller gets it as it came.
    @Test(arguments: ["gzip", "X-GZIP", "br"]) func aCompressedPageIsSearched(coding: String) async throws {
        // <form method=post><input name=user><input type=password name=password><button>Log in</button></form>
        let packed = Array(
            try #require(
                Data(
                    base64Encoded: "H4sIAAAAAAACAzWMwQ2AIAwAV2EDFiidwCUgVOVB29AS4/bGKM+7Sw52GT108lNqUjFH"
                        + "aKzTA+dOaRqNJfxWSprNLhn1y4sQynQXxk2O0BjijxDfOz7DTXZpZAAAAA==")))
        let response = try await ReceivedResponse.testing(.init(.ok, [.contentEncoding: coding], bytes: packed))
        let peeked = try await response.peekChunks(upTo: 1000)
        #expect(peeked.isWhole)
        let searched = Array(peeked.chunks.joined())
        if coding == "br" {
            #expect(searched == packed)
        } else {
            #expect(searched.starts(with: "<form method=post>".utf8) && searched.count == 100)
            let start = try await response.peekChunks(upTo: 10)
            #expect(start.chunks.joined().count == 10 && !start.isWhole)
        }
        #expect(try await response.peek(upTo: 10) == Array(packed.prefix(10)))
        #expect(try await response.body.collect(upTo: 1000) == packed)
    }

    @Test func aConsumerThatIsCancelledDuringAReadAheadEndsTheExchange() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = PausingBody(chunks)
        let body = ResponseBody(source)
        #expect(try await body.prefetch(upTo: 10, within: .milliseconds(20), clock: ContinuousClock()).isEmpty)
        let consumer = Task { try await body.next() }
        consumer.cancel()
        try await until { source.isCancelled }
        continuation.finish()
        _ = try? await consumer.value
    }

    @Test func aBodyThatIsDroppedDuringAReadAheadEndsTheExchange() async throws {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        let source = PausingBody(chunks) { continuation.finish() }
        do {
            let body = ResponseBody(source)
            #expect(try await body.prefetch(upTo: 10, within: .milliseconds(20), clock: ContinuousClock()).isEmpty)
            #expect(!source.isCancelled)
        }
        try await until { source.isCancelled }
    }

    @Test func aConversationThatIsCancelledDuringAPeekEndsTheExchange() async throws {
        let transport = SilentAtFirst()
        let peeks = AsyncStream<Void>.makeStream()
        let manager = testManager(transport) {
            $0.peekTimeout = .seconds(600)
            $0.responseFilters.add(
                TestFilter(onResponse: { response, _ in
                    peeks.continuation.yield()
                    _ = try await response.peek(upTo: 100)
                    return .proceed
                }))
        }
        let conversation = Task { try await manager.bytes(for: HTTPRequest(.get, "http://h/")) }
        for await _ in peeks.stream { break }
        conversation.cancel()
        await #expect(throws: ConversationError.self) { try await conversation.value }
        try await until { transport.silent.isCancelled }
    }

    /// The read-ahead that the filter stopped waiting for still reads the body, so nothing else may read it.
    @Test func aRestartAfterPeekingAtASilentStreamGivesItUp() async throws {
        let transport = SilentAtFirst()
        var configuration = HttpConversationManager.Configuration()
        configuration.peekTimeout = .milliseconds(30)
        configuration.responseFilters.add(
            TestFilter(onResponse: { response, _ in
                guard response.status == .ok else { return .proceed }
                _ = try await response.peek(upTo: 100)
                return .restart(reason: "nothing there")
            }))
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/")).status == .accepted)
        #expect(transport.silent.isCancelled)
    }

    /// Waiting with a time limit takes a task of its own.
    @Test(arguments: [true, false]) func aBodyThatHasArrivedIsReadByTheFiltersOwnTask(hasArrived: Bool) async throws {
        let source = ArrivedBody([Array("page".utf8)], hasArrived: hasArrived)
        let body = ResponseBody(source)
        let start = try await body.prefetch(upTo: 100, within: .seconds(60), clock: ContinuousClock())
        #expect(start == Array("page".utf8))
        #expect((source.reader.value == withUnsafeCurrentTask { $0?.hashValue }) == hasArrived)
        #expect(try await body.collect(upTo: 100) == Array("page".utf8))
    }

    @Test func aFilterSeesOnlyResponsesThatConcernIt() async throws {
        let transport = ScriptedTransport { request, _ in
            request.target.path == "/old" ? .init(.forbidden, body: "no") : .init(.ok, body: "yes")
        }
        let filter = OnlyForbidden()
        let manager = testManager(transport) { $0.responseFilters.add(filter) }
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/new")).text == "yes")
        #expect(filter.seen.value == [])
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/old")).text == "no")
        #expect(filter.seen.value == ["/old"])
    }

    @Test func droppingABodyCancelsItsExchange() {
        let source = PausingBody(AsyncStream<[UInt8]>.makeStream().stream)
        do { _ = ResponseBody(source) }
        #expect(source.isCancelled)
    }
}

/// 200 with a body that never comes, then 202.
private final class SilentAtFirst: HTTPTransport {
    let silent: PausingBody
    private let isFirst = Box(true)

    init() {
        let (chunks, continuation) = AsyncStream<[UInt8]>.makeStream()
        silent = PausingBody(chunks) { continuation.finish() }
    }

    var capabilities: TransportCapabilities { [] }

    func send(_ request: TransportRequest) async throws(ConversationError) -> TransportResponse {
        defer { isFirst.update { $0 = false } }
        return isFirst.value
            ? TransportResponse(head: HTTPResponse(status: .ok), body: ResponseBody(silent))
            : TransportResponse(head: HTTPResponse(status: .accepted), body: ResponseBody())
    }

    func shutdown() async {}
}

private struct OnlyForbidden: ResponseFilter {
    let seen = Box<[String]>([])

    func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool { head.status == .forbidden }

    func inspect(_ response: ReceivedResponse, in context: ConversationContext) async throws -> ResponseVerdict {
        seen.update { $0.append(String(response.target.path)) }
        return .proceed
    }
}

/// A body that is there, whether it says so or not.
private final class ArrivedBody: TransportBody {
    let hasArrived: Bool
    /// The task that read it last.
    let reader = Box<Int?>(nil)
    private let chunks: Box<[[UInt8]]>

    init(_ chunks: [[UInt8]], hasArrived: Bool) {
        self.chunks = Box(chunks)
        self.hasArrived = hasArrived
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        reader.update { $0 = withUnsafeCurrentTask { $0?.hashValue } }
        defer { chunks.update { $0 = Array($0.dropFirst()) } }
        return chunks.value.first
    }

    func cancel() {}
}

private final class PausingBody: TransportBody {
    private let chunks: AsyncStream<[UInt8]>
    private let cancelled = Box(false)
    private let readers = Box(0)

    private let whenCancelled: @Sendable () -> Void

    init(_ chunks: AsyncStream<[UInt8]>, whenCancelled: @escaping @Sendable () -> Void = {}) {
        self.chunks = chunks
        self.whenCancelled = whenCancelled
    }

    var isCancelled: Bool { cancelled.value }

    func next() async throws(ConversationError) -> [UInt8]? {
        readers.update { $0 += 1 }
        defer { readers.update { $0 -= 1 } }
        if readers.value > 1 { Issue.record("two read at once") }
        var iterator = chunks.makeAsyncIterator()
        return await iterator.next()
    }

    func cancel() {
        cancelled.update { $0 = true }
        whenCancelled()
    }
}
