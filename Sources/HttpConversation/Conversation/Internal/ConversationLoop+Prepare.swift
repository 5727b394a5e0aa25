extension ConversationLoop {
    /// The request filters, over a fresh copy of where the attempt starts.
    func prepare(_ attempt: Attempt) async throws(ConversationError) -> ConversationStateMachine.Event {
        context.log.emit(.attemptStarted) { $0.reason = attempt.reason }
        var request = attempt.request
        let filters = configuration.requestFilters.entries
        for index in filters.indices {
            do { try await filters[index].element.prepare(&request, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
        }
        // A filter may have put a request of its own in its place.
        request.context = context
        request.nameContentType()
        return .prepared(Hop(request: request))
    }
}
