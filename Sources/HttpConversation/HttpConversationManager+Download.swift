public import HTTPTypes

extension HttpConversationManager {
    /// Runs a conversation and passes the final response's body to a sink as it arrives.
    ///
    /// If the status is not a success (2xx), the sink is not even opened. `HttpConvFiles` has a variant with the URL of
    /// a file.
    ///
    /// - Parameters:
    ///   - request: the request
    ///   - body: the request's body; nil: none
    ///   - sink: gets the body complete or not at all
    ///   - progress: gets the bytes in the sink, their rate and the remaining time. Called from any thread
    ///   - delegate: the delegate of this conversation, in addition to the manager's
    ///   - prepare: puts values into the context before the start
    /// - Returns: the response, with no bytes in memory
    /// - Throws: ``ConversationError/Code/unsuccessfulStatus`` with the ``ConversationError/response`` and the first
    ///   MiB of its body, also for a 206 if the request has no `Range`; ``ConversationError/Code/outputFailed`` for
    ///   every failure of the sink; otherwise the errors of every conversation
    public func download(
        for request: HTTPRequest, body: RequestBody? = nil, to sink: some ResponseBodySink,
        progress: @Sendable (DownloadProgress) -> Void = { _ in },
        delegate: (any ConversationDelegate)? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await runner(delegate).download(for: request, body: body, to: sink, progress: progress, prepare: prepare)
    }

    /// Runs a conversation and passes the final response's body to a closure.
    ///
    /// - Parameters:
    ///   - request: the request
    ///   - body: the request's body; nil: none
    ///   - progress: gets the bytes written, their rate and the remaining time. Called from any thread
    ///   - delegate: the delegate of this conversation, in addition to the manager's
    ///   - prepare: puts values into the context before the start
    ///   - write: gets one piece after the other; the next is read when it returns. An error ends the exchange, and is
    ///     the `underlyingError` of ``ConversationError/Code/outputFailed``
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
