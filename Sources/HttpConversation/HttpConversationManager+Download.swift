public import HTTPTypes

extension HttpConversationManager {
    /// Holds a conversation and gives the final response's body to a sink as it arrives.
    ///
    /// Of a response whose status is no success (2xx) the sink gets nothing: it is not even opened. `HttpConvFiles` has the
    /// same with the URL of a file.
    ///
    /// - Parameters:
    ///   - request: what is asked for
    ///   - body: what is sent; nil: nothing
    ///   - sink: gets the body complete or not at all
    ///   - progress: told what the sink has, how fast it comes and how long it still takes. From any thread
    ///   - delegate: looks into this conversation, beside the manager's
    ///   - prepare: puts values into the context before the start
    /// - Returns: the response, with no bytes in memory
    /// - Throws: ``ConversationError/Code/unsuccessfulStatus`` with the ``ConversationError/response`` and the first MiB of
    ///   its body, also for a 206 where the request has no `Range`; ``ConversationError/Code/outputFailed`` for everything
    ///   about the sink, else what every conversation throws
    public func download(
        for request: HTTPRequest, body: RequestBody? = nil, to sink: some ResponseBodySink,
        progress: @Sendable (DownloadProgress) -> Void = { _ in },
        delegate: (any ConversationDelegate)? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await runner(delegate).download(for: request, body: body, to: sink, progress: progress, prepare: prepare)
    }

    /// The same with a stream of one's own in place of a sink.
    ///
    /// - Parameters:
    ///   - request: what is asked for
    ///   - body: sent with it; nil: none
    ///   - progress: as above
    ///   - delegate: looks into this conversation, beside the manager's
    ///   - prepare: puts values into the context before the start
    ///   - write: takes one piece after the other; no other is read until it returns. What it throws ends the exchange, and
    ///     is the `underlyingError` of ``ConversationError/Code/outputFailed``
    public func download(
        for request: HTTPRequest, body: RequestBody? = nil,
        progress: @Sendable (DownloadProgress) -> Void = { _ in },
        delegate: (any ConversationDelegate)? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in },
        to write: @escaping @Sendable (_ chunk: [UInt8]) async throws -> Void
    ) async throws(ConversationError) -> ConversationResponse {
        try await download(
            for: request, body: body, to: ClosureSink(write), progress: progress, delegate: delegate, prepare: prepare)
    }
}
