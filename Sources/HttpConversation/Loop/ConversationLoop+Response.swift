import HTTPTypes

extension ConversationLoop {
    /// The first response filter that looks at the response; nil if none does.
    func firstFilter(concernedBy answered: AnsweredExchange) -> Int? {
        let filters = configuration.responseFilters.entries
        // A proxy's 407 does not come from the server, and the bytes after a 101 belong to another protocol.
        guard !filters.isEmpty, !answered.isProxyChallenge, answered.status != 101 else { return nil }
        return filters.firstIndex { $0.element.concerns(answered.head, in: context) }
    }

    /// Runs the response filters in order; the first that does not let the response pass decides.
    ///
    /// - Parameter first: the result of `firstFilter`
    nonisolated(nonsending) mutating func inspectResponse(
        _ answered: AnsweredExchange, from first: Int
    ) async throws -> ConversationStateMachine.Event {
        let filters = configuration.responseFilters.entries
        for index in first..<filters.count {
            guard index == first || filters[index].element.concerns(answered.head, in: context) else { continue }
            let received = ReceivedResponse(
                request: answered.exchange.request, head: answered.head, context: context,
                body: answered.response.body, peekTimeout: configuration.peekTimeout, clock: configuration.clock,
                cookieEpoch: answered.exchange.cookieEpoch)
            let verdict: ResponseVerdict
            do { verdict = try await filters[index].element.inspect(received, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
            switch verdict {
            case .proceed: continue
            case .repeatExchange(let reason, let step):
                guard step.map(isAllowed) ?? true else { continue }
                withdrawRefusal(answered)
                return await goBack(.repeatExchange, .repeatExchange, reason, step, filters[index].id, answered)
            case .restart(let reason, let step):
                guard step.map(isAllowed) ?? true else { continue }
                withdrawRefusal(answered)
                return await goBack(.restart, .restart, reason, step, filters[index].id, answered)
            case .replace(let other):
                emit(.replace, nil, filters[index].id)
                await finishExchange(answered)
                return .responseDecided(.replace(other))
            }
        }
        return .responseDecided(.deliver)
    }

    private nonisolated(nonsending) func goBack(
        _ way: ConversationStateMachine.DeferredVerdict.Way, _ verdict: ConversationEvent.ResponseDecision.Verdict,
        _ reason: String, _ step: ConversationStep<StepOutcome>?, _ filter: String, _ answered: AnsweredExchange
    ) async -> ConversationStateMachine.Event {
        emit(verdict, reason, filter)
        // The transport may still be about to read the body.
        answered.exchange.request.body?.reclaim()
        if step == nil { await finishExchange(answered) }
        return .responseDecided(.goBack(.init(way: way, reason: reason, step: step)))
    }

    private func emit(_ verdict: ConversationEvent.ResponseDecision.Verdict, _ reason: String?, _ filter: String) {
        context.log?.emit(.responseDecided(.init(verdict: verdict, filter: filter, reason: reason)))
    }
}
