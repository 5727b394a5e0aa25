package import HttpConvPlatform

/// The additional work of a conversation with delegates.
extension ConversationRunner {
    /// Asks for the disposition of a final response, and passes its body through the delegates.
    ///
    /// - Parameters:
    ///   - isDownload: whether it has a destination already
    ///   - endsWithBody: whether the conversation ends with the body
    static func begin(
        _ stream: ConversationStream, _ delegates: Delegates, isDownload: Bool = false, endsWithBody: Bool = false
    ) async throws(ConversationError) -> ConversationStream {
        let response = stream.response(with: [])
        let disposition = await delegates.disposition(of: response, expectedLength: stream.expectedLength)
        if Task.isCancelled {
            stream.body.cancel()
            throw ConversationError.cancelled.inConversation(of: stream)
        }
        switch disposition {
        case .cancel:
            stream.body.cancel()
            throw ConversationError(
                .cancelled,
                "The conversation's delegate cancelled the response (disposition(of:expectedLength:))."
            ).inConversation(of: stream)
        case .becomeDownload(let sink) where !isDownload && stream.isWhole:
            let body = stream.watched(by: delegates, endsWithBody: false)
            do throws(ConversationError) { try await sink.write(body.body) } catch {
                throw error.inConversation(of: stream)
            }
            await delegates.downloaded(response, to: sink.file)
            if endsWithBody { await delegates.completed(.success(response), in: stream.context) }
            return stream.replacingBody(with: ResponseBody())
        case .allow, .becomeDownload:
            return stream.watched(by: delegates, endsWithBody: endsWithBody)
        }
    }

    /// Reports the end of a conversation to its delegates before its caller.
    static func completing(
        _ delegates: Delegates, in context: ConversationContext,
        _ work: () async throws(ConversationError) -> ConversationResponse
    ) async throws(ConversationError) -> ConversationResponse {
        let result: Result<ConversationResponse, ConversationError>
        do throws(ConversationError) { result = .success(try await work()) } catch { result = .failure(error) }
        await delegates.completed(result, in: context)
        return try result.get()
    }

    /// Sends a body that a delegate provides.
    static func upload(
        _ request: ConversationRequest, length: Int?, in context: ConversationContext
    ) async throws(ConversationError) -> ConversationResponse {
        guard let delegates = context.delegates else { throw noBody }
        return try await completing(delegates, in: context) { () async throws(ConversationError) in
            guard let stream = try await delegates.newBodyStream(in: context) else { throw noBody }
            var request = request
            request.body = .oneShot(length: length, stream)
            return try await collected(begin(run(request, in: context), delegates))
        }
    }

    private static var noBody: ConversationError {
        ConversationError(
            .bodyUnavailable,
            "The upload has no body, and no delegate provides one (newBodyStream(in:)): nothing was sent.")
    }

    /// A response whose body delegates see as the caller reads it.
    static func watchedStream(
        _ request: ConversationRequest, in context: ConversationContext, _ delegates: Delegates
    ) async throws(ConversationError) -> ConversationStream {
        do throws(ConversationError) {
            return try await begin(try await run(request, in: context), delegates, endsWithBody: true)
        } catch {
            await delegates.completed(.failure(error), in: context)
            throw error
        }
    }
}

extension ConversationStream {
    /// Whether the response is what the caller asked for: a success, and no part of it that was not asked for.
    fileprivate var isWhole: Bool {
        status.kind == .successful && (status != .partialContent || context.callersFields.contains(.range))
    }

    fileprivate func watched(by delegates: Delegates, endsWithBody: Bool) -> ConversationStream {
        replacingBody(
            with: ResponseBody(
                DelegatedBody(self, delegates, isLast: endsWithBody), expectedLength: expectedLength))
    }

    fileprivate func replacingBody(with body: ResponseBody) -> ConversationStream {
        ConversationStream(
            head: head, body: body, url: url, version: version, context: context, attempts: attempts, login: login,
            requestFields: requestFields, proxy: proxy)
    }
}

extension ConversationContext {
    /// Reports a complete download to the delegates, for callers that write the body themselves.
    package func downloaded(_ response: ConversationResponse, to file: URL?) async {
        await delegates?.downloaded(response, to: file)
    }

    /// Reports the end of the conversation to the delegates, for callers that write the body themselves.
    package func completed(_ result: Result<ConversationResponse, ConversationError>) async {
        await delegates?.completed(result, in: self)
    }
}
