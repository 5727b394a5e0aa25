public import HTTPTypes

extension HttpConversationManager {
    /// Holds a conversation and returns its final response with the body in memory.
    ///
    /// - Parameters:
    ///   - request: has scheme, authority and path; ``HTTPTypes/HTTPRequest/init(_:_:fields:)-(_,String,_)`` makes one
    ///     from text
    ///   - body: what is sent; a restartable kind can be sent again after a login
    ///   - prepare: puts values into the conversation's context before it starts, for filters and providers to find
    /// - Throws: `ConversationError`; a response with an error status is no error
    public func data(
        for request: HTTPRequest, body: RequestBody? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await runner.data(for: request, body: body, prepare: prepare)
    }

    /// Holds a conversation and returns its final response with the body as a back-pressured sequence.
    public func bytes(
        for request: HTTPRequest, body: RequestBody? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationStream {
        try await runner.bytes(for: request, body: body, prepare: prepare)
    }

    /// Sends a body; as `data(for:body:)`, with the argument order of URLSession.
    public func upload(
        for request: HTTPRequest, from body: RequestBody, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(for: request, body: body, prepare: prepare)
    }

    /// Starts a conversation in a task of its own.
    ///
    /// - Returns: a handle with the conversation's id, events and cancellation
    public func start(
        _ request: HTTPRequest, body: RequestBody? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Conversation<ConversationResponse> {
        let request = try ConversationRequest(request, body: body)
        return Conversation(runner) { runner, context throws(ConversationError) in
            try await runner.data(for: request, in: context)
        } context: { runner in
            runner.context(for: request, prepare)
        }
    }

    /// Starts a conversation in a task of its own whose value is the response with its body as a sequence.
    ///
    /// - Returns: a handle that lives as long as the body: its ``Conversation/cancel()`` ends the stream at any time, and
    ///   its ``Conversation/events`` go on until the body has ended
    public func startStreaming(
        _ request: HTTPRequest, body: RequestBody? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Conversation<ConversationStream> {
        let request = try ConversationRequest(request, body: body)
        return Conversation(runner) { runner, context throws(ConversationError) in
            try await runner.run(request, in: context)
        } body: { stream in
            stream.body
        } context: { runner in
            runner.context(for: request, prepare)
        }
    }
}
