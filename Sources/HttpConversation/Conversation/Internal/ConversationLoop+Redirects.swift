import HTTPTypes

extension ConversationLoop {
    /// Filters first, then the policy.
    mutating func inspectRedirect(
        _ answered: AnsweredExchange
    ) async throws(ConversationError) -> ConversationStateMachine.Event {
        let source = answered.target
        let destination: Result<TargetURL, ConversationError>
        do throws(ConversationError) {
            destination = .success(try Redirect.destination(of: answered.head, from: source))
        } catch {
            destination = .failure(error)
        }
        let redirect = Redirect(
            response: answered.head, method: answered.exchange.hop.request.method, source: source,
            location: answered.head.headerFields[.location] ?? "", destination: try? destination.get(), context: context
        )
        if let decision = try await askRedirectFilters(redirect, answered) { return .redirectDecided(decision) }
        guard configuration.redirects.follows else { return decided(.deliver, "stop", redirect) }
        let target = try destination.get()
        try allow(target, from: source)
        if configuration.redirects.allows?(source, target) == false {
            guard configuration.redirects.refusal == .deliver else { throw Self.refused(target, from: source) }
            return decided(.deliver, "stop", redirect)
        }
        if let delegates = context.delegates, await !delegates.shouldFollow(redirect) {
            return decided(.deliver, "stop", redirect)
        }
        let next = nextRequest(after: answered, to: target)
        await finishExchange(answered)
        // Answers in hand stay behind, unless they come back by the session.
        if target.origin != source.origin { challenges.leave() }
        return decided(.follow(next.request, leavesUnsafe: next.leavesUnsafe), "follow", redirect)
    }

    private mutating func askRedirectFilters(
        _ redirect: Redirect, _ answered: AnsweredExchange
    ) async throws(ConversationError) -> ConversationStateMachine.RedirectDecision? {
        for entry in configuration.redirectFilters.entries {
            let verdict: RedirectVerdict
            do { verdict = try await entry.element.inspect(redirect, in: context) } catch {
                throw Self.filterFailed(entry.id, error)
            }
            switch verdict {
            case .follow: continue
            case .stop:
                emit("stop", redirect, by: entry.id)
                return .deliver
            case .restart(let reason, let step):
                guard step.map(isAllowed) ?? true else { continue }
                emit("restart", redirect, by: entry.id, reason: reason)
                if step == nil { await finishExchange(answered) }
                return .goBack(.init(way: .restart, reason: reason, step: step))
            }
        }
        return nil
    }

    private func decided(
        _ decision: ConversationStateMachine.RedirectDecision, _ verdict: String, _ redirect: Redirect
    ) -> ConversationStateMachine.Event {
        emit(verdict, redirect)
        return .redirectDecided(decision)
    }

    private func emit(_ verdict: String, _ redirect: Redirect, by filter: String? = nil, reason: String? = nil) {
        context.log.emit(.redirectDecided) {
            $0.verdict = verdict
            $0.destination = redirect.destination
            $0.filter = filter
            $0.reason = reason
        }
    }

    private func allow(_ target: TargetURL, from source: TargetURL) throws(ConversationError) {
        guard source.origin.scheme == .https, target.origin.scheme == .http, !configuration.redirects.allowsDowngrade
        else { return }
        throw ConversationError(
            .redirectRefused,
            "\(source.origin) redirects from https to \(target.origin), which would send the rest in the clear. "
                + "Allow it with RedirectPolicy.allowsDowngrade if that is what you want.")
    }

    private static func refused(_ target: TargetURL, from source: TargetURL) -> ConversationError {
        ConversationError(
            .redirectRefused, "The redirect from \(source.origin) to \(target.origin) is not on the whitelist.")
    }

    /// Method, body and fields of the next hop (RFC 9110 §15.4, security rules S8 and S9).
    private func nextRequest(
        after answered: AnsweredExchange, to target: TargetURL
    ) -> (request: ConversationRequest, leavesUnsafe: Bool) {
        let status = answered.head.status.code
        let request = answered.exchange.hop.request
        var next = request
        next.headerFields = configuration.credentials.fields(
            request.headerFields, from: request.target.origin, to: target.origin)
        next.target = target.withoutUserinfo()
        let becomesGet =
            (status == 303 && request.method != .head && request.method != .get)
            || ([301, 302].contains(status) && request.method == .post)
        guard becomesGet else { return (next, false) }
        next.method = .get
        next.body = nil
        next.headerFields = HTTPFields(next.headerFields.filter { !Self.describesBody($0.name) })
        return (next, ![.get, .head, .options, .trace].contains(request.method))
    }

    private static func describesBody(_ name: HTTPField.Name) -> Bool {
        let name = name.canonicalName
        return name.hasPrefix("content-") || name == "expect" || name == "transfer-encoding"
    }
}
