public import HTTPTypes

/// The verbs for callers that cannot await.
///
/// Each returns at once: a handle, or nil where the request is invalid. `completion` is called once in either case, in a
/// task of its own, after everything else, its delegate's ``ConversationDelegate/completed(_:in:)`` included. It runs where
/// it says: a `@MainActor` closure on the main actor, any other on the global executor.
///
/// ```swift
/// manager.executeRequest(request) { @MainActor result in
///     label.text = (try? result.get())?.text
/// }
/// ```
extension HttpConversationManager {
    /// The completion form of `data(for:body:)`.
    @discardableResult
    public func executeRequest(
        _ request: HTTPRequest, body: RequestBody? = nil, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<ConversationResponse, ConversationError>) async -> Void
    ) -> Conversation<ConversationResponse>? {
        Self.execute(completion) { conversation in
            await conversation.result
        } start: { () throws(ConversationError) in
            try start(request, body: body, delegate: delegate, prepare: prepare)
        }
    }

    /// The completion form of `upload(for:from:)`.
    @discardableResult
    public func executeUploadRequest(
        _ request: HTTPRequest, from body: RequestBody, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<ConversationResponse, ConversationError>) async -> Void
    ) -> Conversation<ConversationResponse>? {
        executeRequest(request, body: body, delegate: delegate, prepare: prepare, completion: completion)
    }

    /// The completion form of `download(for:to:)`. `HttpConvFiles` has the same with the URL of a file.
    ///
    /// - Parameters:
    ///   - request: what is asked for
    ///   - body: sent with it; nil: none
    ///   - sink: where the response's body goes
    ///   - progress: told what the sink has, how fast it comes and how long it still takes, on the global executor
    ///   - delegate: looks into this conversation, beside the manager's
    ///   - prepare: puts values into the context before the start
    ///   - completion: called once, with the response or the error
    @discardableResult
    public func executeDownloadRequest(
        _ request: HTTPRequest, body: RequestBody? = nil, to sink: some ResponseBodySink,
        progress: @escaping @Sendable (DownloadProgress) -> Void = { _ in },
        delegate: (any ConversationDelegate)? = nil, prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<ConversationResponse, ConversationError>) async -> Void
    ) -> Conversation<ConversationResponse>? {
        Self.execute(completion) { conversation in
            await conversation.result
        } start: { () throws(ConversationError) in
            let request = try ConversationRequest(request, body: body)
            return Conversation(runner(delegate)) { runner, context throws(ConversationError) in
                try await runner.download(request, to: sink, progress, in: context)
            } context: { runner in
                runner.context(for: request, prepare)
            }
        }
    }

    /// The completion form of `bytes(for:)`: called with the head, while the body still arrives.
    @discardableResult
    public func executeStreamedRequest(
        _ request: HTTPRequest, body: RequestBody? = nil, delegate: (any ConversationDelegate)? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<ConversationStream, ConversationError>) async -> Void
    ) -> Conversation<ConversationStream>? {
        Self.execute(completion) { conversation in
            await conversation.result
        } start: { () throws(ConversationError) in
            try startStreaming(request, body: body, delegate: delegate, prepare: prepare)
        }
    }

    /// Starts something, and calls back with what comes of it: never before this has returned.
    package static func execute<Handle: Sendable, Output: Sendable>(
        _ completion: @escaping @Sendable (Result<Output, ConversationError>) async -> Void,
        result: @escaping @Sendable (Handle) async -> Result<Output, ConversationError>,
        start: () throws(ConversationError) -> Handle
    ) -> Handle? {
        do throws(ConversationError) {
            let handle = try start()
            Task { await completion(await result(handle)) }
            return handle
        } catch {
            Task { await completion(.failure(error)) }
            return nil
        }
    }
}
