import HTTPTypes
import HttpConversation
import HttpConversationConformance
import HttpConversationNIO
import HttpConversationTesting
import Testing

/// The features and the lifetime of handles.
@Suite(.timeLimit(.minutes(1))) struct HandleTests {
    private static let begun = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nabc"

    /// Runs a server that sends `answer`, and the rest when the gate opens, if there is one.
    private static func run(
        _ answer: String, rest: Gate? = nil, _ body: @Sendable (RawServer, Counter) async throws -> Void
    ) async throws {
        let arrived = Counter()
        try await RawServer.run { connection in
            _ = try await connection.readHead()
            try await connection.write(answer)
            arrived.add()
            if let rest {
                await rest.wait()
                try await connection.write("def")
            }
            try await connection.untilClosed()
        } _: { server in
            try await body(server, arrived)
        }
    }

    private static func code<Output>(_ result: Result<Output, ConversationError>) -> ConversationError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    private static func events<Output>(_ conversation: Conversation<Output>) async -> [ConversationEvent] {
        var events: [ConversationEvent] = []
        for await event in conversation.events { events.append(event) }
        return events
    }

    // MARK: Each handle's cancel()

    @Test(arguments: ["", begun]) func startIsCancelled(answer: String) async throws {
        try await Self.run(answer) { server, arrived in
            let conversation = try testManager(NIOTransport.make()).start(HTTPRequest(.get, server.url))
            await arrived.wait(for: 1)
            conversation.cancel()
            #expect(Self.code(await conversation.result) == .cancelled)
            #expect(await Self.events(conversation).contains { $0.kind.name == "exchangeStarted" })
        }
    }

    @Test(arguments: ["", begun]) func executeRequestIsCancelled(answer: String) async throws {
        try await Self.run(answer) { server, arrived in
            let outcome = Outcome()
            let conversation = try #require(
                testManager(NIOTransport.make()).executeRequest(try HTTPRequest(.get, server.url)) {
                    outcome.set(Self.code($0))
                })
            await arrived.wait(for: 1)
            conversation.cancel()
            #expect(await outcome.value == .cancelled)
            #expect(Self.code(await conversation.result) == .cancelled)
        }
    }

    @Test func startStreamingIsCancelledBeforeTheHead() async throws {
        try await Self.run("") { server, arrived in
            let conversation = try testManager(NIOTransport.make()).startStreaming(HTTPRequest(.get, server.url))
            await arrived.wait(for: 1)
            conversation.cancel()
            #expect(Self.code(await conversation.result) == .cancelled)
            #expect(await Self.events(conversation).last?.kind.name == "conversationEnded")
        }
    }

    /// Even while a reader waits for more, and however much has arrived.
    @Test(arguments: [0, 1, 2]) func startStreamingIsCancelledAfterTheHead(chunksBefore: Int) async throws {
        try await Self.run(Self.begun) { server, _ in
            let conversation = try testManager(NIOTransport.make()).startStreaming(HTTPRequest(.get, server.url))
            let stream = try await conversation.value
            if chunksBefore > 0 {
                let chunk = try await stream.body.next()
                #expect(chunk == Array("abc".utf8))
            }
            let waiting = Task { try await stream.body.next() }
            if chunksBefore < 2 { conversation.cancel() } else { await Self.cancelLater(conversation) }
            if chunksBefore > 0 { await #expect(throws: ConversationError.self) { try await waiting.value } }
            _ = try? await waiting.value
            let code = await Self.readingFails(stream)
            #expect(code == .cancelled)
            await server.wait { $0.closedCount == 1 }
            let last = await Self.events(conversation).last
            #expect(last?.kind.name == "bodyReceived")
            #expect(last?.error?.code == .cancelled)
        }
    }

    private static func cancelLater(_ conversation: Conversation<ConversationStream>) async {
        for _ in 0..<100 { await Task.yield() }
        conversation.cancel()
    }

    private static func readingFails(_ stream: ConversationStream) async -> ConversationError.Code? {
        do throws(ConversationError) { while try await stream.body.next() != nil {} } catch { return error.code }
        return nil
    }

    /// This includes a body that arrived together with its head.
    @Test func unconsumedBytesAreCancelledToo() async throws {
        try await Self.run("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc") { server, _ in
            let conversation = try testManager(NIOTransport.make()).startStreaming(HTTPRequest(.get, server.url))
            let stream = try await conversation.value
            conversation.cancel()
            #expect(await Self.readingFails(stream) == .cancelled)
            let other = try testManager(NIOTransport.make()).startStreaming(HTTPRequest(.get, server.url))
            let whole = try await other.value.body.collect(upTo: 10)
            #expect(whole == Array("abc".utf8))
            other.cancel()
            let rest = try await other.value.body.next()
            #expect(rest == nil)
        }
    }

    @Test func aChildIsCancelledWithTheTaskThatCallsIt() async throws {
        try await Self.run("") { server, arrived in
            let url = server.url
            let manager = testManager(NIOTransport.make()) { $0.requestFilters.add(ChildFilter(url: url)) }
            let conversation = try manager.startStreaming(HTTPRequest(.get, "http://127.0.0.1:1/"))
            await arrived.wait(for: 1)
            conversation.cancel()
            #expect(Self.code(await conversation.result) == .cancelled)
        }
    }

    // MARK: Events

    @Test func eventsOfAStreamEndWithItsBody() async throws {
        let rest = Gate()
        try await Self.run(Self.begun, rest: rest) { server, _ in
            let conversation = try testManager(NIOTransport.make()).startStreaming(HTTPRequest(.get, server.url))
            let stream = try await conversation.value
            var events = conversation.events.makeAsyncIterator()
            while let event = await events.next(), event.kind.name != "conversationEnded" {}
            rest.open()
            let bytes = try await stream.body.collect(upTo: 100)
            #expect(bytes == Array("abcdef".utf8))
            let last = await events.next()
            #expect(last?.kind == .bodyReceived(.success(6)))
            #expect(await events.next() == nil)
        }
    }

    /// The stream and the handle that keep the body are gone.
    @Test func eventsOfADroppedStreamEnd() async throws {
        try await Self.run(Self.begun) { server, _ in
            var events = try testManager(NIOTransport.make()).startStreaming(HTTPRequest(.get, server.url)).events
                .makeAsyncIterator()
            var last: ConversationEvent?
            while let event = await events.next() { last = event }
            #expect(last?.kind.name == "bodyReceived")
            #expect(last?.error?.code == .cancelled)
            await server.wait { $0.closedCount == 1 }
        }
    }

    @Test func aTooLargeBodyIsReported() async throws {
        try await Self.run(Self.begun) { server, _ in
            let manager = testManager(NIOTransport.make()) { $0.maximumBufferedBytes = 2 }
            let conversation = try manager.start(HTTPRequest(.get, server.url))
            #expect(Self.code(await conversation.result) == .tooLarge)
            #expect(await Self.events(conversation).last?.error?.code == .tooLarge)
        }
    }
}

/// Runs a child conversation before each request.
private struct ChildFilter: RequestFilter {
    let url: String

    func prepare(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
        _ = try await context.start(HTTPRequest(.get, url))
    }
}

/// The result that a completion was called with.
private final class Outcome: Sendable {
    private let (stream, continuation) = AsyncStream<ConversationError.Code?>.makeStream()

    func set(_ code: ConversationError.Code?) { continuation.yield(code) }

    var value: ConversationError.Code? {
        get async {
            for await code in stream { return code }
            return nil
        }
    }
}
