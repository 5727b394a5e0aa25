/// The body of a request, which knows whether it can be sent again.
public struct RequestBody: Sendable {
    /// The four kinds of body.
    public enum Kind: Sendable {
        /// Bytes in memory. Replayable.
        case bytes([UInt8])
        /// A source such as a file, which is read as it is sent. Replayable.
        case source(any RequestBodySource)
        /// A stream that can be opened any number of times. Replayable.
        case stream(length: Int?, open: @Sendable () async throws -> RequestBodyStream)
        /// A stream that can be read once. It is never sent again after it was read.
        case oneShot(OneShotBody)
    }

    /// The kind of this body.
    public let kind: Kind
    /// The progress callback: see ``onProgress(_:)``.
    public internal(set) var progress: (@Sendable (_ sent: Int, _ total: Int?) -> Void)?

    /// The media type, sent as `Content-Type` unless the request has one; nil: none is added.
    public var contentType: String?

    init(_ kind: Kind, contentType: String? = nil) {
        self.kind = kind
        self.contentType = contentType
    }

    /// Bytes in memory.
    public static func bytes(_ bytes: some Sequence<UInt8>) -> RequestBody { RequestBody(.bytes(Array(bytes))) }

    /// Text as UTF-8.
    public static func text(_ text: String) -> RequestBody { RequestBody(.bytes(Array(text.utf8))) }

    /// A source such as a file, which is read in pieces as it is sent.
    public static func source(_ source: some RequestBodySource) -> RequestBody { RequestBody(.source(source)) }

    /// A stream from a factory that is called each time the body is sent.
    ///
    /// - Parameters:
    ///   - length: the number of bytes of every opened stream; nil sends it chunked
    ///   - open: opens the body at its start; called for each attempt
    public static func stream(
        length: Int? = nil, open: @escaping @Sendable () async throws -> RequestBodyStream
    ) -> RequestBody { RequestBody(.stream(length: length, open: open)) }

    /// A stream that can be read once. A challenge after its first byte was read fails with `bodyNotReplayable`.
    ///
    /// - Parameters:
    ///   - length: the number of bytes; nil sends it chunked
    ///   - stream: reads the bytes, once
    public static func oneShot(length: Int? = nil, _ stream: RequestBodyStream) -> RequestBody {
        RequestBody(.oneShot(OneShotBody(length: length, stream: stream)))
    }

    /// A one-shot body from any sequence of byte chunks.
    public static func oneShot<Chunks: AsyncSequence & Sendable>(length: Int? = nil, _ chunks: Chunks) -> RequestBody
    where Chunks.Element == [UInt8] {
        oneShot(length: length, RequestBodyStream(chunks))
    }

    /// A copy that reports its progress.
    ///
    /// - Parameter report: gets the bytes sent in the current exchange, and the total; nil if that is unknown, as for a
    ///   stream without a length until it has ended. Some transports do not tell its end. Starts again at zero if the
    ///   body is sent again, such as after a login. Called from any thread
    public func onProgress(_ report: @escaping @Sendable (_ sent: Int, _ total: Int?) -> Void) -> RequestBody {
        var body = self
        body.progress = report
        return body
    }

    /// The number of bytes, if it is known without opening anything.
    public var length: Int? {
        switch kind {
        case .bytes(let bytes): bytes.count
        case .source: nil
        case .stream(let length, _): length
        case .oneShot(let body): body.length
        }
    }

    /// Whether the body can be sent now: true except for a one-shot stream that was read from.
    public var isReplayable: Bool {
        if case .oneShot(let body) = kind { !body.isUsed } else { true }
    }

    /// Ends reading for an exchange: bytes that it has not read are left for the next one.
    func reclaim() {
        if case .oneShot(let body) = kind { body.reclaim() }
    }

    /// Whether the body can be sent any number of times.
    public var isRestartable: Bool {
        if case .oneShot = kind { false } else { true }
    }
}
