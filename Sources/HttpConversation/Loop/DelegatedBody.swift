import Synchronization

/// A final response's body on its way to the caller; delegates see it first.
final class DelegatedBody: TransportBody {
    private struct State {
        var isReading = false
        /// The outcome, until it was reported.
        var outcome: Result<ConversationResponse, ConversationError>?
        var isOver = false

        /// Ends the body; the first end counts.
        mutating func end(_ outcome: Result<ConversationResponse, ConversationError>) {
            guard !isOver else { return }
            isOver = true
            self.outcome = outcome
        }

        mutating func takeOutcome() -> Result<ConversationResponse, ConversationError>? {
            defer { outcome = nil }
            return outcome
        }
    }

    private let source: ResponseBody
    private let delegates: Delegates
    private let response: ConversationResponse
    /// Whether the conversation ends with the body.
    private let isLast: Bool
    private let state = Mutex(State())

    init(_ stream: ConversationStream, _ delegates: Delegates, isLast: Bool) {
        source = stream.body
        response = stream.response(with: [])
        self.delegates = delegates
        self.isLast = isLast
    }

    func next() async throws(ConversationError) -> [UInt8]? {
        state.withLock { $0.isReading = true }
        let result: Result<[UInt8]?, ConversationError>
        do throws(ConversationError) {
            let chunk = try await nextChunk()
            if let chunk, !chunk.isEmpty {
                await delegates.received(chunk, in: response.context)
                // A caller that was cancelled meanwhile gets no more chunks.
                if Task.isCancelled { throw .cancelled }
            }
            result = .success(chunk)
        } catch {
            source.cancel()
            result = .failure(error)
        }
        let outcome = state.withLock { state in
            state.isReading = false
            switch result {
            case .success(_?): break
            case .success(nil): state.end(.success(response))
            case .failure(let error): state.end(.failure(error))
            }
            return state.takeOutcome()
        }
        await tell(outcome)
        return try result.get()
    }

    /// The server may answer while the request's body is still sent.
    private func nextChunk() async throws(ConversationError) -> [UInt8]? {
        guard delegates.isUploading else { return try await source.next() }
        return try await delegates.reportingUpload(in: response.context) { () async throws(ConversationError) in
            try await source.next()
        }
    }

    func cancel() {
        source.cancel()
        let outcome = state.withLock { state in
            state.end(.failure(.cancelled))
            // A reader reports the outcome itself, so that the calls for one conversation are sequential.
            return state.isReading ? nil : state.takeOutcome()
        }
        guard let outcome, isLast else { return }
        Task { [delegates, response] in
            await delegates.completed(outcome.inConversation(response), in: response.context)
        }
    }

    private func tell(_ outcome: Result<ConversationResponse, ConversationError>?) async {
        guard let outcome, isLast else { return }
        await delegates.completed(outcome.inConversation(response), in: response.context)
    }
}

extension Result<ConversationResponse, ConversationError> {
    fileprivate func inConversation(_ response: ConversationResponse) -> Self {
        mapError { $0.with(id: response.id, attempts: response.attempts, login: response.login) }
    }
}
