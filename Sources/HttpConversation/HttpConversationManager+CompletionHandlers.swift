public import HTTPTypes

extension HttpConversationManager {
    /// For callers that cannot await: the completion form of `data(for:body:)`.
    ///
    /// - Parameter completion: called once, from an arbitrary thread
    /// - Returns: the handle of the conversation; nil where the request is invalid (`completion` is told)
    @discardableResult
    public func executeRequest(
        _ request: HTTPRequest, body: RequestBody? = nil,
        prepare: @Sendable (ConversationContext) -> Void = { _ in },
        completion: @escaping @Sendable (Result<ConversationResponse, ConversationError>) -> Void
    ) -> Conversation<ConversationResponse>? {
        do throws(ConversationError) {
            let conversation = try start(request, body: body, prepare: prepare)
            Task { completion(await conversation.result) }
            return conversation
        } catch {
            completion(.failure(error))
            return nil
        }
    }
}
