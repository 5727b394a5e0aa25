/// Decides what a conversation does next: an event goes in, an action comes out, and nothing waits.
///
/// States and actions carry their data: the attempt, the hop, the exchange. ``ConversationLoop`` performs the actions
/// and reports their results as events. Rare, large cases are indirect, so that the others are cheap to pass on.
struct ConversationStateMachine {
    /// The loop's present activity.
    enum State {
        case idle
        case preparing(Attempt)
        case authorizing(Hop)
        case exchanging(Exchange)
        case inspectingRedirect(AnsweredExchange)
        case answeringChallenges(AnsweredExchange)
        case inspectingResponse(AnsweredExchange)
        /// A step runs; `isRedirect`: whether a redirect filter asked for it.
        indirect case performing(DeferredVerdict, AnsweredExchange, isRedirect: Bool)
        case finished
    }

    /// The result of the last action.
    enum Event {
        /// The conversation begins.
        case start
        /// The request filters prepared the attempt's first hop.
        case prepared(Hop)
        /// Credentials and cookies are attached for the next exchange.
        case authorized(Exchange)
        /// A final response head arrived.
        case received(AnsweredExchange, ReceivedKind)
        /// The decision about a redirect.
        indirect case redirectDecided(RedirectDecision)
        /// The decision about the challenges.
        case challengesDecided(ChallengeDecision)
        /// The decision of the response filters.
        case responseDecided(ResponseDecision)
        /// A step ended.
        indirect case performed(StepOutcome)
        /// An action threw an error.
        indirect case failed(ConversationError)
    }

    /// The kinds of response that are treated differently.
    enum ReceivedKind: Hashable, CaseIterable {
        /// A 3xx to be followed.
        case redirect
        /// A 401, or a proxy's 407, that a filter may answer.
        case challenge
        /// Everything else.
        case other
    }

    /// A verdict about how a conversation continues, perhaps after a step.
    struct DeferredVerdict {
        enum Way {
            case repeatExchange, restart
            /// Restarts from the hop, because the modifying request before it was answered.
            case restartFromHop
        }

        let way: Way
        let reason: String
        let step: ConversationStep<StepOutcome>?
    }

    enum RedirectDecision {
        /// - Parameters:
        ///   - leavesUnsafe: whether a modifying request was answered: nothing before this hop is repeated
        ///   - detour: the login that a modifying request is redirected to
        case follow(ConversationRequest, leavesUnsafe: Bool, detour: LoginDetour? = nil)
        case deliver
        case goBack(DeferredVerdict)
    }

    enum ChallengeDecision {
        case repeatExchange(reason: String)
        case unanswered
    }

    enum ResponseDecision {
        case deliver
        indirect case replace(ReplacementResponse)
        indirect case goBack(DeferredVerdict)
    }

    /// An action for the loop.
    enum Action {
        /// Run the request filters on a fresh copy of the attempt's request.
        case prepare(Attempt)
        /// Attach credentials and cookies to a fresh copy of the hop's request.
        case authorize(Hop)
        case exchange(Exchange)
        case inspectRedirect(AnsweredExchange)
        /// Drain the response, then ask the filters.
        case answerChallenges(AnsweredExchange)
        case inspectResponse(AnsweredExchange)
        /// End the exchange, then run the step.
        indirect case perform(ConversationStep<StepOutcome>, after: AnsweredExchange)
        /// Return the response to the caller.
        case deliver(FinalResponse)
        indirect case fail(ConversationError)
    }

    /// The limits of a conversation.
    struct Limits {
        let maximumAttempts: Int
        let maximumRedirects: Int
    }

    private(set) var state = State.idle
    /// The latest attempt. Attempts start from its request: the caller's, or the hop that follows an answered unsafe
    /// request.
    private(set) var attempt: Attempt
    /// Whether a modifying request was answered with a redirect, and must not be sent again.
    private(set) var hasLeftUnsafe = false
    /// The attempts and repetitions that reached their exchange.
    private(set) var attempts: [AttemptRecord] = []
    /// The number of attempts and repetitions that were started.
    private(set) var begun = 0
    private(set) var redirects = 0
    private let limits: Limits

    init(_ request: consuming ConversationRequest, limits: Limits) {
        attempt = Attempt(request: request, reason: AttemptRecord.firstReason)
        self.limits = limits
    }

    /// Handles an event and returns the next action.
    mutating func handle(_ event: Event) -> Action {
        switch (state, event) {
        case (.finished, _):
            return .fail(Self.inconsistent("an event arrived after the end"))
        case (_, .failed(let error)):
            return finish(.fail(error))
        case (.idle, .start):
            return begin(attempt)
        case (.preparing(let attempt), .prepared(let hop)):
            return authorize(hop, attempt.reason)
        case (.authorizing, .authorized(let exchange)):
            return go(.exchanging(exchange), .exchange(exchange))
        case (.exchanging, .received(let answered, let kind)):
            return received(answered, kind)
        case (.inspectingRedirect(let answered), .redirectDecided(let decision)):
            return redirect(decision, answered)
        case (.answeringChallenges(let answered), .challengesDecided(.repeatExchange(let reason))):
            return again(reason, answered, withoutAuthorization: !answered.isProxyChallenge)
        case (.answeringChallenges(let answered), .challengesDecided(.unanswered)):
            return go(.inspectingResponse(answered), .inspectResponse(answered))
        case (.inspectingResponse(let answered), .responseDecided(let decision)):
            return response(decision, answered)
        case (.performing(let verdict, let answered, _), .performed(.done)):
            return resume(verdict, answered)
        case (.performing(_, let answered, let isRedirect), .performed(.declined)):
            return declined(answered, isRedirect: isRedirect)
        default:
            return finish(.fail(Self.inconsistent("\(event.name) while \(state.name)")))
        }
    }

    private mutating func received(_ answered: AnsweredExchange, _ kind: ReceivedKind) -> Action {
        if !attempts.isEmpty { attempts[attempts.count - 1].status = answered.status.code }
        switch kind {
        case .redirect: return go(.inspectingRedirect(answered), .inspectRedirect(answered))
        // Do not ask for an answer that could not be used.
        case .challenge where answered.exchange.hop.consumedBody: return finish(.fail(Self.bodyNotReplayable))
        case .challenge: return go(.answeringChallenges(answered), .answerChallenges(answered))
        case .other: return go(.inspectingResponse(answered), .inspectResponse(answered))
        }
    }

    private mutating func redirect(_ decision: RedirectDecision, _ answered: AnsweredExchange) -> Action {
        switch decision {
        case .deliver:
            return finish(.deliver(FinalResponse(answered)))
        case .goBack(let verdict):
            return goBack(verdict, answered, isRedirect: true)
        case .follow(let request, let leavesUnsafe, let detour):
            if request.body?.isReplayable == false { return finish(.fail(Self.bodyNotReplayable)) }
            redirects += 1
            guard redirects <= limits.maximumRedirects else {
                return finish(.fail(Self.tooManyRedirects(limits.maximumRedirects)))
            }
            // If a detour proves not to be a login, its present stop is the server's answer to the request.
            let stop = answered.exchange.hop.detour == nil ? nil : answered.exchange.hop.request
            if leavesUnsafe {
                attempt = Attempt(request: stop ?? request, reason: attempt.reason)
                hasLeftUnsafe = true
            }
            let isFirst = leavesUnsafe && stop == nil
            let hop = Hop(
                request: request, redirectedUnder: isFirst ? nil : answered.exchange.cookieEpoch, detour: detour)
            return go(.authorizing(hop), .authorize(hop))
        }
    }

    private mutating func response(_ decision: ResponseDecision, _ answered: AnsweredExchange) -> Action {
        switch decision {
        case .deliver:
            return finish(.deliver(FinalResponse(answered)))
        case .replace(let other):
            return finish(.deliver(FinalResponse(answered, replacedBy: other)))
        case .goBack(let verdict):
            return goBack(verdict, answered, isRedirect: false)
        }
    }

    /// Runs no step for a request that cannot be sent again.
    private mutating func goBack(
        _ verdict: DeferredVerdict, _ answered: AnsweredExchange, isRedirect: Bool
    ) -> Action {
        if sentAgain(by: verdict, answered).body?.isReplayable == false {
            return finish(.fail(Self.bodyNotReplayable))
        }
        guard let step = verdict.step else { return resume(verdict, answered) }
        return go(.performing(verdict, answered, isRedirect: isRedirect), .perform(step, after: answered))
    }

    private mutating func resume(_ verdict: DeferredVerdict, _ answered: AnsweredExchange) -> Action {
        switch verdict.way {
        case .repeatExchange:
            return again(verdict.reason, answered, withoutAuthorization: false)
        case .restart:
            return begin(Attempt(request: attempt.request, reason: verdict.reason))
        case .restartFromHop:
            hasLeftUnsafe = true
            return begin(Attempt(request: answered.exchange.hop.request, reason: verdict.reason))
        }
    }

    /// The request that a verdict repeats. After a detour its body is not the hop's.
    private func sentAgain(by verdict: DeferredVerdict, _ answered: AnsweredExchange) -> ConversationRequest {
        verdict.way == .restart ? attempt.request : answered.exchange.hop.request
    }

    /// Passes the response on to the next stage; repeats the exchange if the body was abandoned meanwhile. A request
    /// that is not idempotent is not repeated for that: its body ends with a failure after the bytes that are kept.
    private mutating func declined(_ answered: AnsweredExchange, isRedirect: Bool) -> Action {
        if answered.response.body.wasGivenUp, answered.exchange.hop.request.isIdempotent {
            return again("its answer was given up meanwhile", answered, withoutAuthorization: false)
        }
        return isRedirect
            ? go(.inspectingRedirect(answered), .inspectRedirect(answered))
            : go(.inspectingResponse(answered), .inspectResponse(answered))
    }

    /// Begins an attempt from the original request or the restart point.
    private mutating func begin(_ next: Attempt) -> Action {
        guard count() else { return finish(.fail(Self.tooManyAttempts(limits.maximumAttempts))) }
        redirects = 0
        attempt = next
        return go(.preparing(attempt), .prepare(attempt))
    }

    /// Repeats the exchange.
    ///
    /// - Parameter withoutAuthorization: whether the caller's own `Authorization` was refused and is replaced
    private mutating func again(
        _ reason: String, _ answered: AnsweredExchange, withoutAuthorization: Bool
    ) -> Action {
        let hop = answered.exchange.hop
        if hop.consumedBody { return finish(.fail(Self.bodyNotReplayable)) }
        guard count() else { return finish(.fail(Self.tooManyAttempts(limits.maximumAttempts))) }
        var request = hop.request
        if withoutAuthorization { request.headerFields[.authorization] = nil }
        return authorize(
            Hop(request: request, redirectedUnder: hop.redirectedUnder, repetition: reason, detour: hop.detour),
            reason)
    }

    private mutating func authorize(_ hop: Hop, _ reason: String) -> Action {
        attempts.append(AttemptRecord(number: attempts.count + 1, target: hop.request.target, reason: reason))
        return go(.authorizing(hop), .authorize(hop))
    }

    private mutating func count() -> Bool {
        guard begun < max(1, limits.maximumAttempts) else { return false }
        begun += 1
        return true
    }

    private mutating func go(_ next: State, _ action: Action) -> Action {
        state = next
        return action
    }

    private mutating func finish(_ action: Action) -> Action { go(.finished, action) }
}

extension ConversationStateMachine {
    /// The one-shot body that was read and has to be sent again because of an event; nil: none.
    func consumedBody(after event: Event) -> OneShotBody? {
        let request: ConversationRequest
        switch (state, event) {
        case (.exchanging, .received(let answered, .challenge)): request = answered.exchange.hop.request
        case (.inspectingRedirect, .redirectDecided(.follow(let next, _, _))): request = next
        case (.inspectingRedirect(let answered), .redirectDecided(.goBack(let verdict))),
            (.inspectingResponse(let answered), .responseDecided(.goBack(let verdict))):
            request = sentAgain(by: verdict, answered)
        default: return nil
        }
        guard case .oneShot(let body)? = request.body?.kind, body.isUsed else { return nil }
        return body
    }

    private static func inconsistent(_ what: String) -> ConversationError {
        ConversationError(
            .internalInconsistency, "The conversation engine contradicted itself: \(what). Please report this.")
    }

    private static var bodyNotReplayable: ConversationError {
        ConversationError(
            .bodyNotReplayable,
            """
            The request has to be sent again, but its one-shot body was already read. Send a small request to the same \
            server first so that the login is done before the upload, or use a restartable body (bytes, file, stream).
            """)
    }

    private static func tooManyRedirects(_ limit: Int) -> ConversationError {
        ConversationError(
            .tooManyRedirects, "More than \(limit) redirects: the server probably sends the client in circles.")
    }

    private static func tooManyAttempts(_ limit: Int) -> ConversationError {
        ConversationError(
            .tooManyAttempts,
            "The conversation did not settle within \(limit) attempts; see `attempts` for each attempt and its reason.")
    }
}

extension ConversationStateMachine.Event {
    fileprivate var name: String {
        switch self {
        case .start: "start"
        case .prepared: "prepared"
        case .authorized: "authorized"
        case .received(_, let kind): "received(\(kind))"
        case .redirectDecided: "redirectDecided"
        case .challengesDecided: "challengesDecided"
        case .responseDecided: "responseDecided"
        case .performed: "performed"
        case .failed: "failed"
        }
    }
}

extension ConversationStateMachine.State {
    /// The name without the data, which may be secret.
    var name: String {
        switch self {
        case .idle: "idle"
        case .preparing: "preparing"
        case .authorizing: "authorizing"
        case .exchanging: "exchanging"
        case .inspectingRedirect: "inspectingRedirect"
        case .answeringChallenges: "answeringChallenges"
        case .inspectingResponse: "inspectingResponse"
        case .performing: "performing"
        case .finished: "finished"
        }
    }
}

extension ConversationRequest {
    /// Whether sending it twice has the effect of sending it once (RFC 9110 §9.2.2).
    fileprivate var isIdempotent: Bool { [.get, .head, .options, .trace, .put, .delete].contains(method) }
}
