/// A source of a request body, such as a file, which is read as it is sent, any number of times.
///
/// `RequestBody.file(_:)` of `HttpConvFiles` creates a body from one. It must not change during the conversation.
public protocol RequestBodySource: Sendable {
    /// Opens the source for one exchange, before anything is sent.
    ///
    /// - Throws: ``ConversationError/Code/bodyUnavailable``, with the place and the reason
    func open() async throws(ConversationError) -> OpenedRequestBody
}

/// A request body that is ready to be read, with its length if it has one.
public struct OpenedRequestBody: Sendable {
    /// The number of bytes; nil if unknown.
    public let length: Int?
    private let open: @Sendable () async throws -> RequestBodyStream

    /// Creates an opened body.
    ///
    /// - Parameters:
    ///   - length: the number of bytes; nil sends it chunked
    ///   - stream: reads it from the start; called again if a connection failed before the server acted on the request
    public init(length: Int?, stream: @escaping @Sendable () async throws -> RequestBodyStream) {
        self.length = length
        open = stream
    }

    /// Reads the body from the start.
    ///
    /// - Throws: the error of the body's source
    public func stream() async throws -> RequestBodyStream { try await open() }
}

extension RequestBody {
    /// Opens a body of any kind for one exchange, for a transport of your own.
    ///
    /// - Throws: ``ConversationError/Code/bodyUnavailable``, or ``ConversationError/Code/bodyNotReplayable`` for a
    ///   one-shot stream that was read from
    public func open() async throws(ConversationError) -> OpenedRequestBody {
        switch kind {
        case .bytes(let bytes):
            return OpenedRequestBody(length: bytes.count) { RequestBodyStream(inPieces: bytes) }
        case .source(let source): return try await source.open()
        case .stream(let length, let open): return OpenedRequestBody(length: length, stream: open)
        case .oneShot(let body):
            guard !body.isUsed else {
                throw ConversationError(
                    .bodyNotReplayable, "The one-shot request body was read before: give the request a new one.")
            }
            let reader = body.open()
            return OpenedRequestBody(length: body.length) { reader() }
        }
    }
}

extension RequestBodyStream {
    /// The size of the pieces in which large bodies are read, in bytes.
    package static let pieceSize = 128 << 10

    /// A stream over bytes in memory, in pieces, so that a connection's queue stays short and progress can be reported.
    init(inPieces bytes: [UInt8]) {
        let position = StreamPosition()
        self.init {
            let start = position.advance(by: Self.pieceSize)
            guard start < bytes.count else { return nil }
            return Array(bytes[start..<min(start + Self.pieceSize, bytes.count)])
        }
    }
}
