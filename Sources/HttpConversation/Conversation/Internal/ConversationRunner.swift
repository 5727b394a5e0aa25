import HTTPTypes

/// Starts conversations with a given configuration: what manager verbs, handles and child conversations have in common.
struct ConversationRunner: Sendable {
    let transport: any HTTPTransport
    let snapshot: ConfigurationSnapshot
    var parentID: ConversationID?
    var extraObservers: [any ConversationObserver] = []

    func bytes(for request: HTTPRequest, body: RequestBody?) async throws(ConversationError) -> ConversationStream {
        let request = try ConversationRequest(request, body: body)
        return try await run(request, in: context(for: request))
    }

    func data(for request: HTTPRequest, body: RequestBody?) async throws(ConversationError) -> ConversationResponse {
        let request = try ConversationRequest(request, body: body)
        return try await data(for: request, in: context(for: request))
    }

    func download(
        for request: HTTPRequest, body: RequestBody?, to file: OutputFile
    ) async throws(ConversationError) -> ConversationResponse {
        let request = try ConversationRequest(request, body: body)
        return try await download(request, to: file, in: context(for: request))
    }

    func context(for request: ConversationRequest) -> ConversationContext {
        ConversationContext(
            target: request.target, snapshot: snapshot, transport: transport, parentID: parentID,
            extraObservers: extraObservers)
    }

    func run(
        _ request: ConversationRequest, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationStream {
        var loop = ConversationLoop(request: request, context: context)
        return try await loop.run()
    }

    func data(
        for request: ConversationRequest, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationResponse {
        let stream = try await run(request, in: context)
        do throws(ConversationError) {
            return stream.response(with: try await stream.body.collect(upTo: snapshot.value.maximumBufferedBytes))
        } catch {
            throw error.inConversation(of: stream)
        }
    }

    func download(
        _ request: ConversationRequest, to file: OutputFile, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationResponse {
        let stream = try await run(request, in: context)
        do throws(ConversationError) {
            try await file.write(stream.body)
            return stream.response(with: [])
        } catch {
            throw error.inConversation(of: stream)
        }
    }
}

extension ConversationStream {
    fileprivate func response(with bytes: [UInt8]) -> ConversationResponse {
        ConversationResponse(head: head, bytes: bytes, url: url, context: context, attempts: attempts)
    }
}

extension ConversationError {
    fileprivate func inConversation(of stream: ConversationStream) -> ConversationError {
        var error = self
        error.conversationID = stream.id
        error.attempts = stream.attempts
        return error
    }
}
