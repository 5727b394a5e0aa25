public import HTTPTypes

extension HttpConversationManager {
    /// Runs a conversation and returns its final response with the body in memory.
    ///
    /// - Parameters:
    ///   - request: a request with scheme, authority and path; `HTTPRequest(_:_:fields:)` creates one from text
    ///   - body: the request's body; a restartable kind can be sent again after a login
    ///   - delegate: the delegate of this conversation, in addition to the manager's
    ///   - prepare: puts values into the conversation's context before it starts, for filters and providers
    /// - Throws: `ConversationError`; a response with an error status is returned
    public func data(
        for request: HTTPRequest, body: RequestBody? = nil, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        var loop = try runner(delegate).loop(for: request, body, prepare)
        return try await ConversationRunner.data(&loop)
    }

    /// Runs a conversation and returns its final response with the body as a back-pressured sequence.
    public func bytes(
        for request: HTTPRequest, body: RequestBody? = nil, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationStream {
        try await runner(delegate).bytes(for: request, body: body, prepare: prepare)
    }

    /// Sends a body; like `data(for:body:)`, with the argument order of URLSession.
    public func upload(
        for request: HTTPRequest, from body: RequestBody, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        try await data(for: request, body: body, delegate: delegate, prepare: prepare)
    }

    /// Sends a body that a delegate provides (``ConversationDelegate/newBodyStream(in:)``), and asks it again each time
    /// the body has to be sent again.
    ///
    /// - Parameters:
    ///   - request: the request
    ///   - length: the number of bytes of each stream; nil sends it chunked
    ///   - delegate: nil: the manager's
    ///   - prepare: puts values into the context before the start
    /// - Throws: ``ConversationError/Code/bodyUnavailable`` if there is no body, and the errors of every conversation
    public func upload(
        for request: HTTPRequest, length: Int?, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) async throws(ConversationError) -> ConversationResponse {
        let request = try ConversationRequest(request)
        let runner = runner(delegate)
        return try await ConversationRunner.upload(request, length: length, in: runner.context(for: request, prepare))
    }

    /// Starts a conversation in a separate task.
    ///
    /// - Returns: a handle with the conversation's id, events and cancellation
    public func start(
        _ request: HTTPRequest, body: RequestBody? = nil, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Conversation<ConversationResponse> {
        let request = try ConversationRequest(request, body: body)
        return Conversation(runner(delegate)) { context throws(ConversationError) in
            try await ConversationRunner.data(for: request, in: context)
        } context: { runner in
            runner.context(for: request, prepare)
        }
    }

    /// Starts a conversation in a separate task; its value is the response with its body as a sequence.
    ///
    /// - Returns: a handle that lives as long as the body: its ``Conversation/cancel()`` ends the stream at any time,
    ///   and its ``Conversation/events`` continue until the body has ended
    public func startStreaming(
        _ request: HTTPRequest, body: RequestBody? = nil, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in }
    ) throws(ConversationError) -> Conversation<ConversationStream> {
        try startStreaming(request, body, delegate, prepare) { request, context throws(ConversationError) in
            try await ConversationRunner.stream(request, in: context)
        }
    }

    /// Starts a streamed conversation for a caller that writes the body itself, and reports the end
    /// (`ConversationContext.completed(_:)`).
    package func startTransfer(
        _ request: HTTPRequest, body: RequestBody?, delegate: (any ConversationDelegate)?,
        prepare: @Sendable (ConversationContext) -> Void
    ) throws(ConversationError) -> Conversation<ConversationStream> {
        try startStreaming(request, body, delegate, prepare) { request, context throws(ConversationError) in
            let stream = try await ConversationRunner.run(request, in: context)
            guard let delegates = context.delegates else { return stream }
            return try await ConversationRunner.begin(stream, delegates, isDownload: true)
        }
    }

    private func startStreaming(
        _ request: HTTPRequest, _ body: RequestBody?, _ delegate: (any ConversationDelegate)?,
        _ prepare: @Sendable (ConversationContext) -> Void,
        _ work:
            @escaping @Sendable (ConversationRequest, ConversationContext)
            async throws(ConversationError) -> ConversationStream
    ) throws(ConversationError) -> Conversation<ConversationStream> {
        let request = try ConversationRequest(request, body: body)
        return Conversation(runner(delegate)) { context throws(ConversationError) in
            try await work(request, context)
        } body: { stream in
            stream.body
        } context: { runner in
            runner.context(for: request, prepare)
        }
    }
}
