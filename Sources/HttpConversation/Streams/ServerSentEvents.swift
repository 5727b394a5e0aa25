import HTTPTypes

/// The events of an event stream as they arrive. Iterable once.
///
/// Reads only as much as is requested, and keeps at most one event and one chunk. It does not reconnect: for that,
/// start a new conversation, with ``Iterator/lastEventID`` in `Last-Event-ID`.
public struct ServerSentEvents: AsyncSequence, Sendable {
    public typealias Element = ServerSentEvent
    public typealias Failure = ConversationError

    let stream: ConversationStream
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(stream, limit) }

    /// Reads event by event.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private var lines: LineReader
        private var parser: EventStreamParser
        private var isChecked = false

        init(_ stream: ConversationStream, _ limit: Int) {
            // A line has the field's name in addition to its value.
            lines = LineReader(stream, Swift.max(limit, limit &+ 16))
            parser = EventStreamParser(limit: limit)
        }

        /// The id to send as `Last-Event-ID` when reconnecting: the latest one, also of an event without data, which is
        /// not returned. Empty if no event had an id.
        public var lastEventID: String { parser.lastEventID }

        /// The latest pause before reconnecting that the server has sent, in an event or alone; nil if it has sent
        /// none.
        public var retry: Duration? { parser.retry }

        /// The next event; nil at the end of the body, where an incomplete event is dropped.
        ///
        /// - Throws: ``ConversationError/Code/unsuccessfulStatus`` for a response that is not a success,
        ///   ``ConversationError/Code/bodyNotDecodable`` for one that is not an event stream, such as a page;
        ///   ``ConversationError/Code/tooLarge`` for an event beyond the limit, else the body's own error. An error
        ///   ends the body; then nil follows
        public mutating func next() async throws(ConversationError) -> ServerSentEvent? {
            if !isChecked {
                isChecked = true
                do throws(ConversationError) { try check() } catch {
                    lines.end()
                    throw error
                }
            }
            while let line = try await lines.next() {
                do throws(ConversationError) {
                    if let event = try parser.take(line) { return event }
                } catch {
                    lines.end()
                    throw error.inConversation(of: lines.stream)
                }
            }
            return nil
        }

        public mutating func next(
            isolation: isolated (any Actor)?
        ) async throws(ConversationError) -> ServerSentEvent? {
            try await next()
        }

        private func check() throws(ConversationError) {
            let stream = lines.stream
            guard stream.status.kind == .successful else {
                throw stream.failure(
                    .unsuccessfulStatus, "\(stream.url) answered with the status \(stream.status.code).")
            }
            let type = stream.headerFields[.contentType]?.lowercased() ?? ""
            let essence = type.prefix { $0 != ";" && $0 != " " }
            // 204 means that there are no events, now and later.
            guard stream.status == .noContent || essence == "text/event-stream" else {
                throw stream.failure(
                    .bodyNotDecodable, "The response from \(stream.url) is not an event stream (text/event-stream).")
            }
        }
    }
}

extension ConversationStream {
    /// The body as an event stream; see ``events(maximumSize:)``.
    public var events: ServerSentEvents { events() }

    /// The body as an event stream (`text/event-stream`).
    ///
    /// ```swift
    /// let stream = try await manager.bytes(for: url, fields: [.accept: "text/event-stream"])
    /// for try await event in stream.events { print(event.type, event.data) }
    /// ```
    /// - Parameter maximumSize: the maximum size of an event's data, in bytes; more throws
    ///   ``ConversationError/Code/tooLarge``
    public func events(maximumSize: Int = 1 << 20) -> ServerSentEvents {
        ServerSentEvents(stream: self, limit: maximumSize)
    }
}
