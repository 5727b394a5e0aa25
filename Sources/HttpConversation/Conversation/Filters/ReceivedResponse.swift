public import HTTPTypes
import HttpConvFormats

/// A response as filters see it; valid during the call only.
public struct ReceivedResponse: Sendable {
    /// The request of the exchange as sent, including credentials.
    public let request: ConversationRequest
    /// Status and header fields.
    public let head: HTTPResponse
    /// The conversation.
    public let context: ConversationContext
    let body: ResponseBody
    let peekTimeout: Duration
    let clock: any Clock<Duration> & Sendable
    /// The session's epoch when the cookies of the request were chosen.
    package let cookieEpoch: UInt64

    package init(
        request: ConversationRequest, head: HTTPResponse, context: ConversationContext, body: ResponseBody,
        peekTimeout: Duration, clock: any Clock<Duration> & Sendable, cookieEpoch: UInt64 = 0
    ) {
        self.request = request
        self.head = head
        self.context = context
        self.body = body
        self.peekTimeout = peekTimeout
        self.clock = clock
        self.cookieEpoch = cookieEpoch
    }

    /// The URL of the exchange.
    public var target: TargetURL { request.target }
    /// The status.
    public var status: HTTPResponse.Status { head.status }
    /// The header fields.
    public var headerFields: HTTPFields { head.headerFields }
    /// Whether the transport removes content codings from the body.
    package var isDecoded: Bool { body.isDecoded }

    /// Reads the start of the body without consuming it.
    ///
    /// - Parameter limit: the number of bytes to read
    /// - Returns: fewer bytes if the body ends before, or if no more arrived within the peek timeout: a streaming
    ///   response stays streaming. Cancelling the task meanwhile ends the response.
    public func peek(upTo limit: Int) async throws(ConversationError) -> [UInt8] {
        let bytes = try await body.prefetch(upTo: limit, within: peekTimeout, clock: clock)
        return Array(bytes.prefix(limit))
    }

    /// The start of the body for a search, in chunks without copying; the last one may exceed the limit.
    ///
    /// A body that is delivered compressed, because the caller has asked for it, is decompressed for the search.
    ///
    /// - Returns: the chunks, and whether they are the whole body and do not exceed the limit
    package func peekChunks(
        upTo limit: Int
    ) async throws(ConversationError) -> (chunks: [[UInt8]], isWhole: Bool) {
        let (chunks, isWhole) = try await body.prefetchChunks(upTo: limit, within: peekTimeout, clock: clock)
        guard let coding = headerFields.value(of: .contentEncoding), Self.codings.contains(coding.asciiLowercased)
        else { return (chunks, isWhole && chunks.reduce(0) { $0 + $1.count } <= limit) }
        let text = DeflatedText.start(ofBody: Array(chunks.joined()), limit: limit)
        return ([text], isWhole && text.count < limit)
    }

    private static let codings: Set<String> = ["gzip", "x-gzip", "deflate"]

    /// Ends the exchange before the verdict, for a filter that has to ask elsewhere first. Up to 256 KiB of the body
    /// are kept, so that ``peek(upTo:)`` still works. Work after the verdict belongs in a step.
    public func finish() async {
        await body.finish(within: min(peekTimeout, ResponseBody.drainTime), clock: clock)
    }
}

/// A filter's response that replaces the received one.
public struct ReplacementResponse: Sendable {
    /// Status and header fields.
    public let head: HTTPResponse
    /// The body.
    public let body: [UInt8]

    /// Creates a response.
    public init(head: HTTPResponse, body: [UInt8]) {
        self.head = head
        self.body = body
    }
}
