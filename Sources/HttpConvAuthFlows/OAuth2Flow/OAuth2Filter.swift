import HTTPTypes
import HttpConvConcurrency
import HttpConvPlatform
import HttpConversation

/// The OAuth2 flow as filters: it sends stored tokens ahead, answers Bearer and DPoP challenges, recognises other
/// challenges, and reads the nonces of all responses. Its state of a conversation is in the conversation's context.
struct OAuth2Filter: RequestFilter, RedirectFilter, ChallengeFilter, ResponseFilter {
    private static let handled: Set<AuthenticationMethod> = [.bearer, .dpop]
    var handles: Set<AuthenticationMethod> { Self.handled }

    let flow: OAuth2Flow

    var preparesRequests: Bool { false }

    func authorizeAtOnce(_ request: inout ConversationRequest, in context: ConversationContext) throws -> Bool {
        // Fast path for requests to other servers.
        let first = flow.firstSupport(for: request.target)
        guard first != nil || flow.hasProgress(context) else { return true }
        let now = flow.clock.date
        guard let first, !request.headerFields.has(.authorization) else {
            flow.note(nil, at: now, context)
            return true
        }
        guard !flow.hasAsyncSupports, let sent = flow.tokensInMemory(to: request.target, by: first, at: now) else {
            return false
        }
        do { try attach(sent.tokens, to: &request) } catch { throw Self.failure(error, request.target) }
        flow.note(sent, at: now, context)
        return true
    }

    // Inlined into the protocol's witness; otherwise one more function would wait.
    @inline(__always) nonisolated(nonsending) func authorize(
        _ request: inout ConversationRequest, in context: ConversationContext
    ) async throws {
        guard let first = flow.firstSupport(for: request.target) else { return }
        do {
            var support = first
            if flow.hasAsyncSupports {
                let asked = try await flow.firstSupport(from: first, for: request.target, in: context)
                guard let asked else { return flow.note(nil, at: flow.clock.date, context) }
                support = asked
                if try sendTokensInMemory(of: support, with: &request, context) { return }
            }
            // The usual case where many conversations need the same tokens together.
            if let renewal = flow.runningRenewal(to: request.target, by: support, in: context) {
                let record: SessionSteps.StepOutcomeRecord?
                do { record = try await renewal.place.outcome() } catch {
                    return try sendOldTokens(of: renewal, error, with: &request, context)
                }
                if let record, try sendTokens(of: renewal, record, with: &request, context) { return }
            }
            let tokens = try await flow.tokensToSend(to: request.target, by: support, in: context)
            try send(tokens, with: &request, at: flow.clock.date, context)
        } catch { throw Self.failure(error, request.target) }
    }

    // The following functions are never inlined, because their variables would enlarge the frame of each waiting
    // conversation.

    @inline(never) private func sendTokensInMemory(
        of support: Int, with request: inout ConversationRequest, _ context: ConversationContext
    ) throws -> Bool {
        let now = flow.clock.date
        guard let known = flow.tokensInMemory(to: request.target, by: support, at: now) else { return false }
        try send(known, with: &request, at: now, context)
        return true
    }

    @inline(never) private func sendOldTokens(
        of renewal: OAuth2Flow.RunningRenewal, _ error: any Error, with request: inout ConversationRequest,
        _ context: ConversationContext
    ) throws {
        let tokens = try flow.tokens(afterFailed: renewal, error, to: request.target, context)
        try send(tokens, with: &request, at: flow.clock.date, context)
    }

    @inline(never) private func sendTokens(
        of renewal: OAuth2Flow.RunningRenewal, _ record: SessionSteps.StepOutcomeRecord,
        with request: inout ConversationRequest, _ context: ConversationContext
    ) throws -> Bool {
        let now = flow.clock.date
        guard case .tokens(let tokens) = flow.tokens(of: renewal, record, to: request.target, at: now) else {
            return false
        }
        try send(tokens, with: &request, at: now, context)
        return true
    }

    @inline(never) private func send(
        _ tokens: SentTokens?, with request: inout ConversationRequest, at now: Date, _ context: ConversationContext
    ) throws {
        if let tokens { try attach(tokens.tokens, to: &request) }
        flow.note(tokens, at: now, context)
    }

    /// Adds the token; a bound one with a proof for this request, which replaces a caller's own (RFC 9449 §7.1).
    private func attach(_ tokens: OAuth2Tokens, to request: inout ConversationRequest) throws(OAuth2Error) {
        request.headerFields.append(tokens.authorization.value)
        guard let key = tokens.dpopKey else { return }
        flow.hasSentBoundTokens.store(true, ordering: .relaxed)
        let proof = try flow.prover(key).field(
            request.method, request.target, to: .resource, with: tokens.accessToken)
        request.headerFields[.dpop] = nil
        request.headerFields.append(proof)
    }

    func inspect(_ redirect: Redirect, in context: ConversationContext) async throws -> RedirectVerdict {
        noteNonce(redirect.response, from: redirect.source, context)
        return .follow
    }

    private func noteNonce(_ response: HTTPResponse, from target: TargetURL, _ context: ConversationContext) {
        guard flow.hasProgress(context), flow.sentBoundTokens(to: target, in: context) else { return }
        flow.nonces.note(response.headerFields, from: target.origin, .resource)
        flow.update(context) { $0.hasRenewedProof = false }
    }

    func answer(
        _ challenge: AuthenticationChallenge, in context: ConversationContext
    ) async throws -> ChallengeAnswer {
        let challenge = OAuth2Challenge(
            target: challenge.target, response: challenge.response, context: context)
        do {
            switch try await flow.demand(of: challenge) {
            case .none: return .notHandled
            case .tokensAtHand: return .retry
            case .tokens(let step): return .after(Self.explaining(step, challenge.target).beforeRetry)
            }
        } catch { throw Self.failure(error, challenge.target) }
    }

    func concerns(_ head: HTTPResponse, in context: ConversationContext) -> Bool {
        // Observers hear of success, and answers to bound tokens have nonces.
        context.isObserved || (400..<500).contains(head.status.code) || flow.sentBoundTokens(in: context)
    }

    func inspect(
        _ response: ReceivedResponse, in context: ConversationContext
    ) async throws -> ResponseVerdict {
        let code = response.status.code
        if code != 401 { noteNonce(response.head, from: response.target, context) }
        if (200..<300).contains(code) { reportSuccess(context) }
        guard (400..<500).contains(code) else { return .proceed }
        let challenge = OAuth2Challenge(
            target: response.target, response: response.head, context: context,
            finish: { await response.finish() }
        ) { try await response.peek(upTo: $0) }
        do {
            let isForUs = try await isForUs(challenge, response, context)
            // If no support recognises the challenge, and the body cannot be sent again, the caller gets the response.
            guard isForUs || response.request.body?.isReplayable != false else { return .proceed }
            switch try await isForUs ? flow.demand(of: challenge) : flow.demand(ofBare: challenge) {
            case .none: return .proceed
            case .tokensAtHand: return .repeatExchange(reason: Self.reason)
            case .tokens(let step):
                return .repeatExchange(reason: Self.reason, after: Self.explaining(step, response.target))
            }
        } catch { throw Self.failure(error, response.target) }
    }

    private static let reason = "access token obtained"

    private static func explaining(
        _ step: ConversationStep<StepOutcome>, _ target: TargetURL
    ) -> ConversationStep<StepOutcome> {
        step.mapFailure { failure($0, target) }
    }

    /// Whether a challenge is ours, before anything is done. A caller's own `Authorization` is left to the caller.
    private func isForUs(
        _ challenge: OAuth2Challenge, _ response: ReceivedResponse, _ context: ConversationContext
    ) async throws -> Bool {
        if response.request.headerFields.contains(.authorization), flow.progress(context).sent == nil { return false }
        for support in flow.supports where try await support.claims(response.target, in: context) {
            if try await support.recognizesChallenge(in: challenge) {
                return support.maySendTokens(to: response.target)
            }
        }
        return false
    }

    private func reportSuccess(_ context: ConversationContext) {
        guard context.isObserved, let key = flow.update(context, { $0.noteSuccess() }) else { return }
        context.notify(.tokensSucceeded(support: key.supportName, storageURL: key.storageURL))
    }

    private static func failure(_ error: any Error, _ target: TargetURL) -> any Error {
        if error is CancellationError || error is ConversationError { return error }
        if let error = error as? OAuth2Error, error.code == .cancelled {
            return ConversationError(
                .cancelled, "The login for \(target.origin) was cancelled.", underlyingError: error)
        }
        let message = (error as? OAuth2Error)?.description ?? "A server support of OAuth2 failed."
        return ConversationError(
            code(of: error), "No access token for \(target.origin). \(message)", underlyingError: error)
    }
}

extension OAuth2Filter {
    /// An unusable certificate at the token endpoint has the same code as one elsewhere.
    private static func code(of error: any Error) -> ConversationError.Code {
        guard let error = error as? OAuth2Error, error.code == .clientCertificateUnusable else {
            return .authenticationFailed
        }
        return (error.underlyingError as? ConversationError)?.code ?? .clientCertificateUnusable
    }
}

extension OAuth2Filter: CustomStringConvertible, CustomReflectable {
    /// The number of server supports.
    var description: String { "OAuth2Filter for \(flow.supports.count) servers" }
    var customMirror: Mirror { Mirror(self, children: ["filter": description]) }
}
