public import HTTPTypes

/// The verbs for callers that cannot await.
///
/// Each returns at once: a handle, or nil if the request is invalid. In either case `completion` is called once, in a
/// separate task, after everything else, including the delegate's ``ConversationDelegate/completed(_:in:)``. It runs
/// where its type says: a `@MainActor` closure on the main actor, any other on the global executor.
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

    /// The completion form of `download(for:to:)`. `HttpConvFiles` has a variant with the URL of a file.
    ///
    /// - Parameters:
    ///   - request: the request
    ///   - body: the request's body; nil: none
    ///   - sink: the destination of the response's body
    ///   - progress: gets the bytes in the sink, their rate and the remaining time, on the global executor
    ///   - delegate: the delegate of this conversation, in addition to the manager's
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
            return Conversation(runner(delegate)) { context throws(ConversationError) in
                try await ConversationRunner.download(request, to: sink, progress, in: context)
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

    /// Starts a conversation, and calls back with its result, never before this function has returned.
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
