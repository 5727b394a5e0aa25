import HTTPTypes

extension ConversationLoop {
    /// Runs the request filters on a fresh copy of the attempt's request.
    nonisolated(nonsending) mutating func prepare(
        _ attempt: Attempt
    ) async throws -> ConversationStateMachine.Event {
        context.log?.emit(.attemptStarted(reason: attempt.reason))
        var request = attempt.request
        let filters = context.snapshot.preparingFilters
        if machine.hasLeftUnsafe, let preparedFields { undo(preparedFields, in: &request) }
        for index in filters.indices {
            do { try await filters[index].element.prepare(&request, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
        }
        if !filters.isEmpty {
            if machine.hasLeftUnsafe {
                // After an answered modifying request, an attempt may begin at another server (security rule S8).
                request.headerFields = configuration.credentials.fields(
                    request.headerFields, from: context.target.origin, to: request.target.origin)
            } else {
                preparedFields = request.headerFields
            }
        }
        // A filter may have replaced the request.
        request.context = context
        request.nameContentType()
        return .prepared(Hop(request: request))
    }

    /// Takes back what the request filters changed in the fields of the caller's request: the hop after an answered
    /// modifying request has them still, and is prepared anew. Fields that changed on the way there stay as they are.
    @inline(never) private func undo(_ prepared: HTTPFields, in request: inout ConversationRequest) {
        for name in Set(prepared.map(\.name)) {
            let (values, callers) = (prepared[values: name], context.callersFields[values: name])
            if values != callers, request.headerFields[values: name] == values {
                request.headerFields[values: name] = callers
            }
        }
    }
}
