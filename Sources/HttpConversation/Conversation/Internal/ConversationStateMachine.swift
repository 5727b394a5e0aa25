/// Decides what a conversation does next (design.md §3): an event goes in, an action comes out, nothing waits.
///
/// ``ConversationLoop`` performs the actions and reports what came of them.
struct ConversationStateMachine {
    /// What the loop is doing.
    enum State: Hashable, CaseIterable {
        case idle, preparing, authorizing, exchanging, inspectingRedirect, answeringChallenges, inspectingResponse,
            finished
    }

    /// What came of the last action.
    enum Event {
        /// The caller asked for something.
        case start
        /// The request filters prepared the attempt's request.
        case prepared
        /// Credentials and cookies are attached for the next exchange.
        case authorized
        /// A final response head arrived.
        case received(ReceivedKind)
        /// What is to be done with a redirect.
        case redirectDecided(RedirectDecision)
        /// What is to be done with the challenges.
        case challengesDecided(ChallengeDecision)
        /// What the response filters say.
        case responseDecided(ResponseDecision)
        /// Something threw.
        case failed(ConversationError)
    }

    /// The kinds of response that are treated differently.
    enum ReceivedKind: Hashable, CaseIterable {
        /// A 3xx that asks to go elsewhere.
        case redirect
        /// A 401 that some filter may answer.
        case challenge
        /// Everything else.
        case other
    }

    enum RedirectDecision {
        /// - Parameters:
        ///   - sendsBody: whether method and body stay as they are
        ///   - leavesUnsafe: whether an unsafe method became GET: nothing before this hop is done again
        case follow(sendsBody: Bool, leavesUnsafe: Bool)
        case deliver
        case restart(reason: String)
    }

    enum ChallengeDecision {
        case repeatExchange(reason: String)
        case unanswered
    }

    enum ResponseDecision {
        case deliver
        case repeatExchange(reason: String)
        case restart(reason: String)
    }

    /// What the loop is to do.
    enum Action {
        /// Begin an attempt: run the request filters over a fresh copy of the original, or of the restart point.
        case prepare
        /// Attach credentials and cookies to a fresh copy of this hop's request.
        case authorize
        /// Go on to the redirect's destination, then authorize. `isRestartPoint`: restarts come back to here.
        case followRedirect(isRestartPoint: Bool)
        case exchange
        case inspectRedirect
        /// Drain the response, then ask the filters.
        case answerChallenges
        case inspectResponse
        /// Hand the response to the caller.
        case deliver
        case fail(ConversationError)
    }

    /// The bounds of a conversation.
    struct Limits {
        let maximumAttempts: Int
        let maximumRedirects: Int
    }

    private(set) var state = State.idle
    /// Attempts and repetitions so far, with their reasons.
    private(set) var reasons: [String] = []
    private(set) var redirects = 0
    private let limits: Limits

    /// Whether the last action, delivery or failure, was given.
    var isFinished: Bool {
        if case .finished = state { true } else { false }
    }

    init(limits: Limits) { self.limits = limits }

    /// Takes an event and says what to do.
    ///
    /// - Parameter bodyIsGone: whether this hop's request body was used and cannot be sent again
    mutating func handle(_ event: Event, bodyIsGone: Bool = false) -> Action {
        switch (state, event) {
        case (.finished, _):
            return .fail(Self.inconsistent("an event arrived after the end"))
        case (_, .failed(let error)):
            return finish(.fail(error))
        case (.idle, .start):
            return begin(reason: "first")
        case (.preparing, .prepared):
            return go(.authorizing, .authorize)
        case (.authorizing, .authorized):
            return go(.exchanging, .exchange)
        case (.exchanging, .received(let kind)):
            return received(kind, bodyIsGone: bodyIsGone)
        case (.inspectingRedirect, .redirectDecided(let decision)):
            return redirect(decision, bodyIsGone: bodyIsGone)
        case (.answeringChallenges, .challengesDecided(.repeatExchange(let reason))):
            return again(reason, bodyIsGone: bodyIsGone)
        case (.answeringChallenges, .challengesDecided(.unanswered)):
            return go(.inspectingResponse, .inspectResponse)
        case (.inspectingResponse, .responseDecided(let decision)):
            return response(decision, bodyIsGone: bodyIsGone)
        default:
            return finish(.fail(Self.inconsistent("\(event.name) while \(state)")))
        }
    }

    private mutating func received(_ kind: ReceivedKind, bodyIsGone: Bool) -> Action {
        switch kind {
        case .redirect: go(.inspectingRedirect, .inspectRedirect)
        // Nobody is asked for an answer that could not be used.
        case .challenge where bodyIsGone: finish(.fail(Self.bodyNotReplayable))
        case .challenge: go(.answeringChallenges, .answerChallenges)
        case .other: go(.inspectingResponse, .inspectResponse)
        }
    }

    private mutating func redirect(_ decision: RedirectDecision, bodyIsGone: Bool) -> Action {
        switch decision {
        case .deliver:
            return finish(.deliver)
        case .restart(let reason):
            return bodyIsGone ? finish(.fail(Self.bodyNotReplayable)) : begin(reason: reason)
        case .follow(let sendsBody, let leavesUnsafe):
            if sendsBody, bodyIsGone { return finish(.fail(Self.bodyNotReplayable)) }
            redirects += 1
            guard redirects <= limits.maximumRedirects else {
                return finish(.fail(Self.tooManyRedirects(limits.maximumRedirects)))
            }
            return go(.authorizing, .followRedirect(isRestartPoint: leavesUnsafe))
        }
    }

    private mutating func response(_ decision: ResponseDecision, bodyIsGone: Bool) -> Action {
        switch decision {
        case .deliver: finish(.deliver)
        case .repeatExchange(let reason): again(reason, bodyIsGone: bodyIsGone)
        case .restart(let reason): bodyIsGone ? finish(.fail(Self.bodyNotReplayable)) : begin(reason: reason)
        }
    }

    /// An attempt from the original request or the restart point.
    private mutating func begin(reason: String) -> Action {
        guard count(reason) else { return finish(.fail(Self.tooManyAttempts(limits.maximumAttempts))) }
        redirects = 0
        return go(.preparing, .prepare)
    }

    /// The same exchange once more.
    private mutating func again(_ reason: String, bodyIsGone: Bool) -> Action {
        if bodyIsGone { return finish(.fail(Self.bodyNotReplayable)) }
        guard count(reason) else { return finish(.fail(Self.tooManyAttempts(limits.maximumAttempts))) }
        return go(.authorizing, .authorize)
    }

    private mutating func count(_ reason: String) -> Bool {
        guard reasons.count < max(1, limits.maximumAttempts) else { return false }
        reasons.append(reason)
        return true
    }

    private mutating func go(_ next: State, _ action: Action) -> Action {
        state = next
        return action
    }

    private mutating func finish(_ action: Action) -> Action { go(.finished, action) }
}

extension ConversationStateMachine {
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
            "The conversation did not settle within \(limit) attempts; see `attempts` for what was tried and why.")
    }
}

extension ConversationStateMachine.Event {
    fileprivate var name: String {
        switch self {
        case .start: "start"
        case .prepared: "prepared"
        case .authorized: "authorized"
        case .received(let kind): "received(\(kind))"
        case .redirectDecided: "redirectDecided"
        case .challengesDecided: "challengesDecided"
        case .responseDecided: "responseDecided"
        case .failed: "failed"
        }
    }
}
