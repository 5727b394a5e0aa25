import HTTPTypes
import Testing

@testable import HttpConversation

private typealias Machine = ConversationStateMachine

/// Every state × event × "is the body gone", generated; pairs that the table does not allow must be errors.
@Suite struct ConversationStateMachineTests {
    @Test(arguments: StateName.allCases, TestEvent.allCases)
    fileprivate func everyPair(state: StateName, event: TestEvent) async throws {
        for bodyIsGone in [false, true] {
            let exchanges = try Exchanges()
            var machine = Self.machine(in: state, exchanges)
            // The body is used up while the exchange of this state runs.
            if bodyIsGone { await exchanges.useBody() }
            let outcome = ActionName(machine.handle(event.event(exchanges)))
            let expected = Self.expected(state, event, bodyIsGone: bodyIsGone)
            #expect(outcome == expected.action, "\(state) × \(event), body gone: \(bodyIsGone)")
            #expect(StateName(machine.state) == expected.state, "\(state) × \(event), body gone: \(bodyIsGone)")
        }
    }

    /// If a response was given up while a step ran, its exchange is repeated.
    @Test(arguments: [StateName.performingAfterRedirect, .performing])
    fileprivate func abandonedResponsesAreRequestedAgain(state: StateName) async throws {
        let exchanges = try Exchanges()
        var machine = Self.machine(in: state, exchanges)
        await exchanges.body.finish(within: .seconds(60), clock: ContinuousClock())
        #expect(ActionName(machine.handle(.performed(.declined))) == .authorize)
        #expect(machine.attempts.count == 2)
    }

    /// Nobody orders twice because the answer to the order was long.
    @Test(arguments: [StateName.performingAfterRedirect, .performing])
    fileprivate func anAbandonedAnswerToAPostIsDelivered(state: StateName) async throws {
        let exchanges = Exchanges(try ConversationRequest(HTTPRequest(.post, "http://h/"), body: .text("order")))
        var machine = Self.machine(in: state, exchanges)
        await exchanges.body.finish(within: .seconds(60), clock: ContinuousClock())
        #expect(exchanges.body.wasGivenUp)
        let next = ActionName(machine.handle(.performed(.declined)))
        #expect(next == (state == .performing ? .inspectResponse : .inspectRedirect))
        #expect(machine.attempts.count == 1)
    }

    @Test func aRepetitionTakesTheAnswerInsteadOfTheCallersAuthorization() throws {
        var request = try ConversationRequest(HTTPRequest(.get, "http://h/"))
        request.headerFields[.authorization] = "Basic own"
        let exchanges = Exchanges(request)
        for (event, expected) in [(TestEvent.challengeAnswered, nil), (.responseRepeats, "Basic own")] {
            var machine = Machine(request, limits: .init(maximumAttempts: 10, maximumRedirects: 20))
            let state = event == .challengeAnswered ? StateName.answeringChallenges : .inspectingResponse
            for event in Self.way[state] ?? [] { _ = machine.handle(event.event(exchanges)) }
            guard case .authorize(let hop) = machine.handle(event.event(exchanges)) else {
                Issue.record("no repetition after \(event)")
                continue
            }
            #expect(hop.request.headerFields[.authorization] == expected)
            #expect(hop.repetition == "test")
        }
    }

    @Test func restartsGoBackToTheHopAfterAnUnsafeRequest() throws {
        let exchanges = try Exchanges()
        let next = try ConversationRequest(HTTPRequest(.get, "http://h/next"))
        for leavesUnsafe in [false, true] {
            var machine = Self.machine(in: .inspectingRedirect, exchanges)
            guard
                case .authorize(let hop) = machine.handle(
                    .redirectDecided(.follow(next, leavesUnsafe: leavesUnsafe)))
            else {
                Issue.record("not followed")
                continue
            }
            #expect(hop.redirectedUnder == (leavesUnsafe ? nil : 7))
            _ = machine.handle(.authorized(Exchange(hop, request: hop.request)))
            _ = machine.handle(.received(exchanges.answered, .other))
            guard case .prepare(let attempt) = machine.handle(TestEvent.responseRestarts.event(exchanges)) else {
                Issue.record("no restart")
                continue
            }
            #expect(attempt.request.target.path == (leavesUnsafe ? "/next" : "/"))
        }
    }

    @Test func restartsFromAHopNeverGoBackBeyondIt() throws {
        let next = try ConversationRequest(HTTPRequest(.get, "http://h/next"))
        var machine = Self.machine(in: .inspectingRedirect, try Exchanges())
        guard case .authorize(let hop) = machine.handle(.redirectDecided(.follow(next, leavesUnsafe: false))) else {
            Issue.record("not followed")
            return
        }
        _ = machine.handle(.authorized(Exchange(hop, request: hop.request)))
        _ = machine.handle(.received(Exchanges(next).answered, .redirect))
        let verdict = Machine.DeferredVerdict(way: .restartFromHop, reason: "test", step: nil)
        guard case .prepare(let attempt) = machine.handle(.redirectDecided(.goBack(verdict))) else {
            Issue.record("no restart")
            return
        }
        #expect(attempt.request.target.path == "/next")
        #expect(machine.hasLeftUnsafe)
    }

    @Test(arguments: 1...40)
    func invariantsHoldOnRandomWalks(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var walk = Walk(try Exchanges())
        for step in 0..<200 {
            if step % 20 == 0 { await Task.yield() }
            let event = TestEvent.allCases.randomElement(using: &random) ?? .start
            // Mostly legal events, so that walks become long.
            let legal = TestEvent.allCases.filter { Self.table[StateName(walk.machine.state)]?[$0] != nil }
            let chosen =
                Int.random(in: 0..<20, using: &random) == 0 ? event : legal.randomElement(using: &random) ?? event
            if Int.random(in: 0..<60, using: &random) == 0 { await walk.exchanges.useBody() }
            walk.step(chosen)
        }
    }

    @Test func attemptsAreLimited() throws {
        let exchanges = try Exchanges()
        for limit in [1, 2, 10] {
            var machine = Machine(exchanges.request, limits: .init(maximumAttempts: limit, maximumRedirects: 20))
            var action = ActionName(machine.handle(.start))
            var attempts = 0
            while action == .prepare {
                attempts += 1
                for event in [TestEvent.prepared, .authorized, .receivedOther] {
                    _ = machine.handle(event.event(exchanges))
                }
                action = ActionName(machine.handle(TestEvent.responseRestarts.event(exchanges)))
            }
            #expect(attempts == limit)
            #expect(action == .fail("tooManyAttempts"))
            #expect(machine.attempts.count == limit)
        }
    }

    @Test func repetitionsCountAsAttempts() throws {
        let exchanges = try Exchanges()
        var machine = Machine(exchanges.request, limits: .init(maximumAttempts: 3, maximumRedirects: 20))
        _ = machine.handle(.start)
        _ = machine.handle(TestEvent.prepared.event(exchanges))
        var count = 0
        var action = ActionName.authorize
        while action == .authorize {
            count += 1
            _ = machine.handle(TestEvent.authorized.event(exchanges))
            _ = machine.handle(TestEvent.receivedChallenge.event(exchanges))
            action = ActionName(machine.handle(TestEvent.challengeAnswered.event(exchanges)))
        }
        #expect(count == 3)
        #expect(action == .fail("tooManyAttempts"))
        #expect(machine.attempts.map(\.reason) == ["first", "test", "test"])
        #expect(machine.attempts.map(\.status) == [200, 200, 200])
    }

    @Test func redirectsAreLimitedAndARestartCountsThemAnew() throws {
        let exchanges = try Exchanges()
        var machine = Machine(exchanges.request, limits: .init(maximumAttempts: 10, maximumRedirects: 2))
        _ = machine.handle(.start)
        _ = machine.handle(TestEvent.prepared.event(exchanges))
        for _ in 0..<2 { #expect(Self.redirect(&machine, exchanges) == .authorize) }
        for event in [TestEvent.authorized, .receivedOther, .responseRestarts, .prepared] {
            _ = machine.handle(event.event(exchanges))
        }
        for _ in 0..<2 { #expect(Self.redirect(&machine, exchanges) == .authorize) }
        #expect(Self.redirect(&machine, exchanges) == .fail("tooManyRedirects"))
    }

    private static func redirect(_ machine: inout Machine, _ exchanges: Exchanges) -> ActionName {
        _ = machine.handle(TestEvent.authorized.event(exchanges))
        _ = machine.handle(TestEvent.receivedRedirect.event(exchanges))
        return ActionName(machine.handle(TestEvent.followWithoutBody.event(exchanges)))
    }

    // MARK: The specification

    private static func expected(
        _ state: StateName, _ event: TestEvent, bodyIsGone: Bool
    ) -> (action: ActionName, state: StateName) {
        if state == .finished { return (.fail("internalInconsistency"), .finished) }
        if event == .failed { return (.fail("timedOut"), .finished) }
        guard let legal = table[state]?[event] else { return (.fail("internalInconsistency"), .finished) }
        if bodyIsGone, sendsBodyAgain(state, event) { return (.fail("bodyNotReplayable"), .finished) }
        return legal
    }

    /// Whether the transition sends the body again. A challenge does: its answer repeats the exchange.
    private static func sendsBodyAgain(_ state: StateName, _ event: TestEvent) -> Bool {
        switch event {
        case .receivedChallenge, .followWithBody, .redirectRestarts, .redirectRestartsAfterStep, .challengeAnswered,
            .responseRepeats, .responseRestarts, .responseRepeatsAfterStep, .responseRestartsAfterStep:
            true
        // A restart begins anew, and checks the body later.
        case .performedDone: state == .performing
        default: false
        }
    }

    /// The legal transitions while the body can be sent.
    private static let table: [StateName: [TestEvent: (action: ActionName, state: StateName)]] = [
        .idle: [.start: (.prepare, .preparing)],
        .preparing: [.prepared: (.authorize, .authorizing)],
        .authorizing: [.authorized: (.exchange, .exchanging)],
        .exchanging: [
            .receivedRedirect: (.inspectRedirect, .inspectingRedirect),
            .receivedChallenge: (.answerChallenges, .answeringChallenges),
            .receivedOther: (.inspectResponse, .inspectingResponse),
        ],
        .inspectingRedirect: [
            .followWithBody: (.authorize, .authorizing),
            .followWithoutBody: (.authorize, .authorizing),
            .followAfterUnsafe: (.authorize, .authorizing),
            .redirectDelivered: (.deliver, .finished),
            .redirectRestarts: (.prepare, .preparing),
            .redirectRestartsAfterStep: (.perform, .performingAfterRedirect),
        ],
        .answeringChallenges: [
            .challengeAnswered: (.authorize, .authorizing),
            .challengeUnanswered: (.inspectResponse, .inspectingResponse),
        ],
        .inspectingResponse: [
            .responseDelivered: (.deliver, .finished),
            .responseReplaced: (.deliver, .finished),
            .responseRepeats: (.authorize, .authorizing),
            .responseRestarts: (.prepare, .preparing),
            .responseRepeatsAfterStep: (.perform, .performing),
            .responseRestartsAfterStep: (.perform, .performing),
        ],
        .performing: [
            .performedDone: (.authorize, .authorizing),
            .performedDeclined: (.inspectResponse, .inspectingResponse),
        ],
        .performingAfterRedirect: [
            .performedDone: (.prepare, .preparing),
            .performedDeclined: (.inspectRedirect, .inspectingRedirect),
        ],
    ]

    private static let way: [StateName: [TestEvent]] = [
        .idle: [],
        .preparing: [.start],
        .authorizing: [.start, .prepared],
        .exchanging: [.start, .prepared, .authorized],
        .inspectingRedirect: [.start, .prepared, .authorized, .receivedRedirect],
        .answeringChallenges: [.start, .prepared, .authorized, .receivedChallenge],
        .inspectingResponse: [.start, .prepared, .authorized, .receivedOther],
        .performing: [.start, .prepared, .authorized, .receivedOther, .responseRepeatsAfterStep],
        .performingAfterRedirect: [.start, .prepared, .authorized, .receivedRedirect, .redirectRestartsAfterStep],
        .finished: [.start, .failed],
    ]

    /// A machine that was driven into a state by legal events.
    private static func machine(in state: StateName, _ exchanges: Exchanges) -> Machine {
        var machine = Machine(exchanges.request, limits: .init(maximumAttempts: 10, maximumRedirects: 20))
        for event in way[state] ?? [] { _ = machine.handle(event.event(exchanges)) }
        #expect(StateName(machine.state) == state)
        return machine
    }

    /// Checks the rules that hold in every sequence of events.
    private struct Walk {
        let exchanges: Exchanges
        var machine: Machine
        var preparedAttempts = 0
        var isAuthorized = false

        init(_ exchanges: Exchanges) {
            self.exchanges = exchanges
            machine = Machine(exchanges.request, limits: .init(maximumAttempts: 10, maximumRedirects: 20))
        }

        mutating func step(_ event: TestEvent) {
            let before = StateName(machine.state)
            let action = ActionName(machine.handle(event.event(exchanges)))
            switch action {
            case .prepare: preparedAttempts += 1
            case .authorize: isAuthorized = true
            case .exchange:
                #expect(isAuthorized, "an exchange without authorize before it")
                isAuthorized = false
            default: break
            }
            let isFinished = StateName(machine.state) == .finished
            if case .fail = action { #expect(isFinished) }
            if before == .finished { #expect(action == .fail("internalInconsistency")) }
            if exchanges.bodyIsGone, event != .performedDone, sendsBodyAgain(before, event) { #expect(isFinished) }
            #expect(machine.begun <= 10)
            #expect(machine.attempts.count <= machine.begun)
            #expect(preparedAttempts <= machine.begun)
            #expect(machine.redirects <= 21)
        }
    }
}

/// The payloads of events: a request with a one-shot body, and its answer.
private struct Exchanges {
    let request: ConversationRequest
    let body = ResponseBody(TestSource())

    init() throws {
        let stream = AsyncStream<[UInt8]> { $0.finish() }
        self.init(
            try ConversationRequest(HTTPRequest(.put, "http://h/"), body: .oneShot(stream.map { $0 })))
    }

    init(_ request: ConversationRequest) { self.request = request }

    var bodyIsGone: Bool { request.body?.isReplayable == false }
    var hop: Hop { Hop(request: request) }

    var exchange: Exchange { Exchange(hop, request: hop.request, cookieEpoch: 7) }

    var answered: AnsweredExchange {
        AnsweredExchange(
            exchange: exchange, response: TransportResponse(head: HTTPResponse(status: .ok), body: body), status: 200,
            offered: [])
    }

    var step: ConversationStep<StepOutcome> { ConversationStep("test") { _ in } }

    func useBody() async {
        if case .oneShot(let body)? = request.body?.kind { _ = try? await body.next() }
    }
}

/// A body that never ends.
private final class TestSource: TransportBody {
    func next() async throws(ConversationError) -> [UInt8]? { [UInt8](repeating: 0, count: 64 << 10) }
    func cancel() {}
}

/// The name of a state, without its payload.
private enum StateName: Hashable, CaseIterable {
    case idle, preparing, authorizing, exchanging, inspectingRedirect, answeringChallenges, inspectingResponse,
        performing, performingAfterRedirect, finished

    init(_ state: Machine.State) {
        self =
            switch state {
            case .idle: .idle
            case .preparing: .preparing
            case .authorizing: .authorizing
            case .exchanging: .exchanging
            case .inspectingRedirect: .inspectingRedirect
            case .answeringChallenges: .answeringChallenges
            case .inspectingResponse: .inspectingResponse
            case .performing(_, _, let isRedirect): isRedirect ? .performingAfterRedirect : .performing
            case .finished: .finished
            }
    }
}

/// The events, so that all of them can be enumerated.
private enum TestEvent: CaseIterable {
    case start, prepared, authorized
    case receivedRedirect, receivedChallenge, receivedOther
    case followWithBody, followWithoutBody, followAfterUnsafe, redirectDelivered, redirectRestarts
    case redirectRestartsAfterStep
    case challengeAnswered, challengeUnanswered
    case responseDelivered, responseReplaced, responseRepeats, responseRestarts
    case responseRepeatsAfterStep, responseRestartsAfterStep
    case performedDone, performedDeclined
    case failed

    func event(_ exchanges: Exchanges) -> Machine.Event {
        var withoutBody = exchanges.request
        withoutBody.body = nil
        return switch self {
        case .start: .start
        case .prepared: .prepared(exchanges.hop)
        case .authorized: .authorized(exchanges.exchange)
        case .receivedRedirect: .received(exchanges.answered, .redirect)
        case .receivedChallenge: .received(exchanges.answered, .challenge)
        case .receivedOther: .received(exchanges.answered, .other)
        case .followWithBody: .redirectDecided(.follow(exchanges.request, leavesUnsafe: false))
        case .followWithoutBody: .redirectDecided(.follow(withoutBody, leavesUnsafe: false))
        case .followAfterUnsafe: .redirectDecided(.follow(withoutBody, leavesUnsafe: true))
        case .redirectDelivered: .redirectDecided(.deliver)
        case .redirectRestarts: .redirectDecided(.goBack(.init(way: .restart, reason: "test", step: nil)))
        case .redirectRestartsAfterStep:
            .redirectDecided(.goBack(.init(way: .restart, reason: "test", step: exchanges.step)))
        case .challengeAnswered: .challengesDecided(.repeatExchange(reason: "test"))
        case .challengeUnanswered: .challengesDecided(.unanswered)
        case .responseDelivered: .responseDecided(.deliver)
        case .responseReplaced:
            .responseDecided(.replace(ReplacementResponse(head: HTTPResponse(status: .ok), body: [])))
        case .responseRepeats: .responseDecided(.goBack(.init(way: .repeatExchange, reason: "test", step: nil)))
        case .responseRestarts: .responseDecided(.goBack(.init(way: .restart, reason: "test", step: nil)))
        case .responseRepeatsAfterStep:
            .responseDecided(.goBack(.init(way: .repeatExchange, reason: "test", step: exchanges.step)))
        case .responseRestartsAfterStep:
            .responseDecided(.goBack(.init(way: .restart, reason: "test", step: exchanges.step)))
        case .performedDone: .performed(.done)
        case .performedDeclined: .performed(.declined)
        case .failed: .failed(ConversationError(.timedOut, "test"))
        }
    }
}

/// An action that can be compared.
private enum ActionName: Equatable {
    case prepare, authorize, exchange, inspectRedirect, answerChallenges, inspectResponse, perform, deliver
    case fail(String)

    init(_ action: Machine.Action) {
        self =
            switch action {
            case .prepare: .prepare
            case .authorize: .authorize
            case .exchange: .exchange
            case .inspectRedirect: .inspectRedirect
            case .answerChallenges: .answerChallenges
            case .inspectResponse: .inspectResponse
            case .perform: .perform
            case .deliver: .deliver
            case .fail(let error): .fail(error.code.description)
            }
    }
}

private struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }

    mutating func next() -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state ^ (state >> 29)
    }
}
