import HTTPTypes

extension ConversationLoop {
    /// Decides about a redirect: filters first, then the policy.
    nonisolated(nonsending) mutating func inspectRedirect(
        _ answered: AnsweredExchange
    ) async throws -> ConversationStateMachine.Event {
        let source = answered.target
        let destination: Result<TargetURL, ConversationError>
        do throws(ConversationError) {
            let target = try Redirect.destination(of: answered.head, from: source)
            destination = .success(hidingSecrets(in: target, answered))
        } catch {
            destination = .failure(error)
        }
        let redirect = Redirect(
            response: answered.head, method: answered.exchange.hop.request.method, source: source,
            location: answered.head.headerFields[values: .location].first ?? "", destination: try? destination.get(),
            context: context,
            sentCookies: answered.exchange.request.headerFields[.cookie].map(Redacted.init))
        if let decision = try await askRedirectFilters(redirect, answered) { return .redirectDecided(decision) }
        guard configuration.redirects.follows else { return decided(.deliver, .stop, redirect) }
        guard try isAllowed(to: destination.get(), from: source) else { return decided(.deliver, .stop, redirect) }
        var next = nextRequest(after: answered, to: try destination.get())
        if let delegates = context.delegates {
            guard let request = await delegates.request(next.request, following: redirect) else {
                return decided(.deliver, .stop, redirect)
            }
            next.request = try checked(request, after: answered)
            guard try isAllowed(to: next.request.target, from: source) else {
                return decided(.deliver, .stop, redirect)
            }
        }
        let target = next.request.target
        await finishExchange(answered)
        // Drop the present answers; the session may still provide them.
        if target.origin != source.origin { challenges.dropServerAnswers() }
        let detour = detour(after: answered, to: target, next)
        let leavesUnsafe = detour == nil && (next.leavesUnsafe || answered.exchange.hop.detour != nil)
        return decided(
            .follow(next.request, leavesUnsafe: leavesUnsafe, detour: detour), .follow, redirect, to: target)
    }

    /// A redirect's destination, whose texts do not show secrets that were sent. Without observers only the name of
    /// another server is searched: errors have it.
    @inline(never) private mutating func hidingSecrets(
        in target: TargetURL, _ answered: AnsweredExchange
    ) -> TargetURL {
        let known = context.sentFields
        guard known != nil || target.origin.host != answered.target.origin.host else { return target }
        // Observers know those of the exchange already; a flow may have noted others.
        let sent = known.flatMap { context.isObserved ? $0 : nil } ?? SentFields(answered.exchange, after: known)
        let hidden = target.hiding(sent)
        if hidden.hidesOrigin {
            hasSecretName = true
            if !context.isObserved { context.note { _ in sent } }
        }
        return hidden
    }

    private nonisolated(nonsending) mutating func askRedirectFilters(
        _ redirect: Redirect, _ answered: AnsweredExchange
    ) async throws -> ConversationStateMachine.RedirectDecision? {
        let filters = configuration.redirectFilters.entries
        for index in filters.indices where filters[index].element.concerns(redirect) {
            let verdict: RedirectVerdict
            do { verdict = try await filters[index].element.inspect(redirect, in: context) } catch {
                throw Self.filterFailed(filters[index].id, error)
            }
            switch verdict {
            case .follow: continue
            case .stop:
                emit(.stop, redirect, by: filters[index].id)
                return .deliver
            case .restart(let reason, let step):
                guard step.map(isAllowed) ?? true else { continue }
                emit(.restart, redirect, by: filters[index].id, reason: reason)
                if step == nil { await finishExchange(answered) }
                return .goBack(.init(way: way(back: redirect, answered), reason: reason, step: step))
            }
        }
        return nil
    }

    private func detour(
        after answered: AnsweredExchange, to target: TargetURL,
        _ next: (request: ConversationRequest, leavesUnsafe: Bool)
    ) -> LoginDetour? {
        if let detour = answered.exchange.hop.detour { return detour.following(from: answered.target, to: target) }
        return next.leavesUnsafe ? LoginDetour(from: answered.target, to: target) : nil
    }

    private func way(
        back redirect: Redirect, _ answered: AnsweredExchange
    ) -> ConversationStateMachine.DeferredVerdict.Way {
        guard let detour = answered.exchange.hop.detour, let destination = redirect.destination,
            detour.isContradicted(at: answered.target, by: destination)
        else { return .restart }
        return .restartFromHop
    }

    private func decided(
        _ decision: ConversationStateMachine.RedirectDecision, _ verdict: ConversationEvent.RedirectDecision.Verdict,
        _ redirect: Redirect, to target: TargetURL? = nil
    ) -> ConversationStateMachine.Event {
        emit(verdict, redirect, to: target)
        return .redirectDecided(decision)
    }

    private func emit(
        _ verdict: ConversationEvent.RedirectDecision.Verdict, _ redirect: Redirect, to target: TargetURL? = nil,
        by filter: String? = nil, reason: String? = nil
    ) {
        context.log?.emit(
            .redirectDecided(
                .init(
                    verdict: verdict, destination: target ?? redirect.destination, filter: filter, reason: reason)))
    }

    /// Whether the policies permit a redirect. If not, the 3xx is delivered, or the conversation fails.
    private func isAllowed(to target: TargetURL, from source: TargetURL) throws(ConversationError) -> Bool {
        try allow(target, from: source)
        guard configuration.redirects.allows?(source, target) == false else { return true }
        guard configuration.redirects.refusal == .deliver else { throw Self.refused(target, from: source) }
        return false
    }

    /// A delegate's request, under the rules for redirects (security rules S6 and S8).
    private func checked(
        _ request: ConversationRequest, after answered: AnsweredExchange
    ) throws(ConversationError) -> ConversationRequest {
        let fields = configuration.credentials.fields(
            request.headerFields, from: answered.target.origin, to: request.target.origin)
        var checked = try ConversationRequest(
            method: request.method, target: request.target, headerFields: fields, body: request.body)
        checked.context = context
        return checked
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
        let status = answered.status
        let request = answered.exchange.hop.request
        var next = request
        next.headerFields = configuration.credentials.fields(
            request.headerFields, from: request.target.origin, to: target.origin)
        next.target = target.withoutUserinfo()
        if next.upgrade != nil {
            next.upgrade = nil
            next.body = nil
        }
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
