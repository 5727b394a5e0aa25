public import HTTPTypes

extension HttpConversationManager {
    /// Holds a conversation and gives the final response's body to a sink as it arrives, whatever its status.
    ///
    /// `HttpConvFiles` has the same with the URL of a file.
    ///
    /// - Parameters:
    ///   - sink: gets the body complete or not at all
    ///   - progress: called with the bytes that the sink has and those that were announced; nil where nothing was, or a
    ///     content coding hides it. From any thread
    /// - Returns: the response, with no bytes in memory
    public func download(
        for request: HTTPRequest, body: RequestBody? = nil, to sink: some ResponseBodySink,
        progress: @Sendable (_ received: Int, _ expected: Int?) -> Void = { _, _ in },
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await runner.download(for: request, body: body, to: sink, progress: progress, prepare: prepare)
    }
}
