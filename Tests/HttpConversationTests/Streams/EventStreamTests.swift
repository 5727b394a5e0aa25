import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// WHATWG HTML §9.2: the examples of its text, and its rules for the rest.
@Suite(.timeLimit(.minutes(1))) struct EventStreamTests {
    private static let head: HTTPFields = [.contentType: "text/event-stream; charset=utf-8"]

    private func events(_ chunks: [[UInt8]], limit: Int = 1000) async throws -> [ServerSentEvent] {
        let manager = HttpConversationManager(
            transport: ScriptedTransport { _, _ in .init(.ok, Self.head, chunks: chunks) })
        var events: [ServerSentEvent] = []
        for try await event in try await manager.bytes(for: "https://example.com/").events(maximumSize: limit) {
            events.append(event)
        }
        return events
    }

    @Test(
        arguments: [
            ("data: YHOO\ndata: +2\ndata: 10\n\n", [.init(data: "YHOO\n+2\n10")]),
            (
                ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n",
                [.init(data: "first event", lastEventID: "1"), .init(data: "second event")]
            ),
            ("data\n\ndata\ndata\n\ndata:", [.init(data: ""), .init(data: "\n")]),
            ("data:test\n\ndata: test\n\n", [.init(data: "test"), .init(data: "test")]),
            ("event: add\ndata: 1\n\ndata: 2\n\n", [.init(type: "add", data: "1"), .init(data: "2")]),
            ("event: add\n\ndata: 2\n\n", [.init(data: "2")]),
            (
                "id: 7\n\ndata: 1\n\ndata: 2\n\n",
                [.init(data: "1", lastEventID: "7"), .init(data: "2", lastEventID: "7")]
            ),
            ("id: 7\nid: 8\0\ndata: 1\n\n", [.init(data: "1", lastEventID: "7")]),
            ("retry: 2500\ndata: 1\n\n", [.init(data: "1", retry: .milliseconds(2500))]),
            ("retry: -1\nretry: 1s\nretry: 99999999999\ndata: 1\n\n", [.init(data: "1")]),
            ("\u{FEFF}data: 1\n\n", [.init(data: "1")]), ("\u{FEFF}\u{FEFF}data: 1\n\n", []),
            ("data: 1\r\rdata: 2\r\n\r\ndata: 3\n\n", [.init(data: "1"), .init(data: "2"), .init(data: "3")]),
            ("Data: 1\n\ndata : 2\n\n", []), ("data: a:b\n\n", [.init(data: "a:b")]), ("", []),
        ] as [(String, [ServerSentEvent])])
    func examples(text: String, expected: [ServerSentEvent]) async throws {
        #expect(try await events([Array(text.utf8)]) == expected)
        // The result is the same for chunks of one byte.
        #expect(try await events(text.utf8.map { [$0] }) == expected)
    }

    /// An event without data is not returned, and its id and pause count for the next connection. An id counts when its
    /// event is complete.
    @Test(
        arguments: [
            ("id: 1\ndata: a\n\nid: 2\nretry: 9000\n\n", "2", 9), ("id: 1\ndata: a\n\nid: 2\nretry: 9000\n", "1", 9),
            ("id: 1\ndata: a\n\nid\n\n", "", nil), ("data: a\n\n", "", nil),
        ] as [(String, String, Int?)])
    func reconnecting(text: String, id: String, seconds: Int?) async throws {
        let manager = HttpConversationManager(
            transport: ScriptedTransport { _, _ in .init(.ok, Self.head, body: text) })
        var events = try await manager.bytes(for: "https://example.com/").events.makeAsyncIterator()
        #expect(events.lastEventID.isEmpty && events.retry == nil)
        while let event = try await events.next() { #expect(event.data == "a") }
        #expect(events.lastEventID == id && events.retry == seconds.map { .seconds($0) })
    }

    @Test(arguments: ["data: 12345678901\n\n", "data: 12345\ndata: 67890\n\n", "data: 123456789012345678901234567890"])
    func tooLongEventsFail(text: String) async throws {
        #expect(try await events([Array("data: 1234567890\n\n".utf8)], limit: 10).count == 1)
        #expect(await failureCode { try await events([Array(text.utf8)], limit: 10) } == .tooLarge)
    }

    @Test(
        arguments: [
            (.ok, "text/html", .bodyNotDecodable), (.ok, nil, .bodyNotDecodable),
            (.ok, "text/event-streams", .bodyNotDecodable), (.notFound, "text/event-stream", .unsuccessfulStatus),
            (.ok, "Text/Event-Stream;x=y", nil), (.noContent, nil, nil),
        ] as [(HTTPResponse.Status, String?, ConversationError.Code?)])
    func otherContentTypesAreRefused(status: HTTPResponse.Status, type: String?, code: ConversationError.Code?)
        async throws
    {
        var fields = HTTPFields()
        fields[.contentType] = type
        let answer = ScriptedTransport.Answer(status, fields, body: "data: 1\n\n")
        let stream = try await HttpConversationManager(transport: ScriptedTransport { _, _ in answer })
            .bytes(for: "https://example.com/")
        do {
            for try await _ in stream.events {}
            #expect(code == nil)
        } catch {
            #expect(error.code == code && error.response?.status == status)
        }
    }

    /// A caller may ask again, and gets no events of a page or after one that was too long.
    @Test(
        arguments: [
            (.forbidden, "text/html", "data: 1\n\n"), (.ok, "text/html", "data: 1\n\n"),
            (.ok, "text/event-stream", "data: 12345678901\n\ndata: 2\n\n"),
            (.ok, "text/event-stream", "data: 123456\ndata: 123456\n\ndata: 2\n\n"),
        ] as [(HTTPResponse.Status, String, String)])
    func nothingFollowsAnError(status: HTTPResponse.Status, type: String, body: String) async throws {
        let answer = ScriptedTransport.Answer(status, [.contentType: type], body: body)
        let stream = try await HttpConversationManager(transport: ScriptedTransport { _, _ in answer })
            .bytes(for: "https://example.com/")
        var events = stream.events(maximumSize: 10).makeAsyncIterator()
        await #expect(throws: ConversationError.self) { try await events.next() }
        #expect(try await events.next() == nil)
    }
}
