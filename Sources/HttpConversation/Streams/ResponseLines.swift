/// The lines of a response body as they arrive, such as JSON lines or a log. Iterable once.
///
/// Reads only as much as is requested, and keeps at most one line and one chunk.
public struct ResponseLines: AsyncSequence, Sendable {
    public typealias Element = String
    public typealias Failure = ConversationError

    let stream: ConversationStream
    let limit: Int

    public func makeAsyncIterator() -> Iterator { Iterator(stream, limit) }

    /// Reads line by line.
    public struct Iterator: AsyncIteratorProtocol, Sendable {
        private var lines: LineReader

        init(_ stream: ConversationStream, _ limit: Int) { lines = LineReader(stream, limit) }

        /// The next line without its end, nil after the last one.
        ///
        /// - Throws: ``ConversationError/Code/tooLarge`` for a line beyond the limit, else the body's own error
        public mutating func next() async throws(ConversationError) -> String? {
            guard let line = try await lines.next() ?? lines.rest() else { return nil }
            return String(decoding: line, as: UTF8.self)
        }

        public mutating func next(isolation: isolated (any Actor)?) async throws(ConversationError) -> String? {
            try await next()
        }
    }
}

extension ConversationStream {
    /// The body as text, line by line; see ``lines(maximumLength:)``.
    public var lines: ResponseLines { lines() }

    /// The body as text, line by line. Lines end in LF, CR or CR LF; invalid UTF-8 is replaced.
    ///
    /// ```swift
    /// for try await line in try await manager.bytes(for: request).lines { print(line) }
    /// ```
    /// - Parameter maximumLength: the maximum length of a line, in bytes; a longer one throws
    ///   ``ConversationError/Code/tooLarge``
    public func lines(maximumLength: Int = 1 << 20) -> ResponseLines {
        ResponseLines(stream: self, limit: maximumLength)
    }
}

/// The lines of a body, as bytes.
struct LineReader: Sendable {
    let stream: ConversationStream
    private var splitter: LineSplitter
    private var hasEnded = false

    init(_ stream: ConversationStream, _ limit: Int) {
        self.stream = stream
        splitter = LineSplitter(limit: limit)
    }

    /// The next complete line; nil at the end.
    mutating func next() async throws(ConversationError) -> [UInt8]? {
        do throws(ConversationError) {
            while !hasEnded {
                if let line = try splitter.next() { return line }
                guard let chunk = try await stream.body.next() else { break }
                splitter.feed(chunk)
            }
            hasEnded = true
            return nil
        } catch {
            end()
            throw error.inConversation(of: stream)
        }
    }

    /// Ends the body, and drops an incomplete line.
    mutating func end() {
        hasEnded = true
        splitter = LineSplitter(limit: splitter.limit)
        stream.body.cancel()
    }

    /// The bytes after the last line end, once.
    mutating func rest() -> [UInt8]? { splitter.rest() }
}
