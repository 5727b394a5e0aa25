extension ConversationLoop {
    /// Runs the request filters on a fresh copy of the attempt's request.
    nonisolated(nonsending) func prepare(_ attempt: Attempt) async throws -> ConversationStateMachine.Event {
        context.log?.emit(.attemptStarted(reason: attempt.reason))
        var request = attempt.request
        let filters = context.snapshot.preparingFilters
        for index in filters.indices {
            do { try await filters[index].element.prepare(&request, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
        }
        // After an answered modifying request, an attempt may begin at another server (security rule S8).
        if machine.hasLeftUnsafe, !filters.isEmpty {
            request.headerFields = configuration.credentials.fields(
                request.headerFields, from: context.target.origin, to: request.target.origin)
        }
        // A filter may have replaced the request.
        request.context = context
        request.nameContentType()
        return .prepared(Hop(request: request))
    }
}
