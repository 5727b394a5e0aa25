import Testing

@testable import HttpConversation

private typealias Machine = ConversationStateMachine

/// Every state × event × "is the body gone", generated; what the table does not allow must answer an error.
@Suite struct ConversationStateMachineTests {
    @Test(arguments: Machine.State.allCases, TestEvent.allCases)
    fileprivate func everyPair(state: Machine.State, event: TestEvent) {
        for bodyIsGone in [false, true] {
            var machine = Self.machine(in: state)
            let outcome = ActionName(machine.handle(event.event, bodyIsGone: bodyIsGone))
            let expected = Self.expected(state, event, bodyIsGone: bodyIsGone)
            #expect(outcome == expected.action, "\(state) × \(event), body gone: \(bodyIsGone)")
            #expect(machine.state == expected.state, "\(state) × \(event), body gone: \(bodyIsGone)")
        }
    }

    @Test(arguments: 1...40)
    func invariantsHoldOnRandomWalks(seed: Int) {
        var random = SeededGenerator(seed: UInt64(seed))
        var walk = Walk()
        for _ in 0..<200 {
            let event = TestEvent.allCases.randomElement(using: &random) ?? .start
            // Mostly legal events, so that walks become long.
            let legal = TestEvent.allCases.filter { Self.table[walk.machine.state]?[$0] != nil }
            let chosen =
                Int.random(in: 0..<20, using: &random) == 0 ? event : legal.randomElement(using: &random) ?? event
            walk.step(chosen, bodyIsGone: Int.random(in: 0..<12, using: &random) == 0)
        }
    }

    @Test func attemptsAreLimited() {
        for limit in [1, 2, 10] {
            var machine = Machine(limits: .init(maximumAttempts: limit, maximumRedirects: 20))
            var action = ActionName(machine.handle(.start))
            var attempts = 0
            while action == .prepare {
                attempts += 1
                _ = machine.handle(.prepared)
                _ = machine.handle(.authorized)
                _ = machine.handle(.received(.other))
                action = ActionName(machine.handle(.responseDecided(.restart(reason: "again"))))
            }
            #expect(attempts == limit)
            #expect(action == .fail("tooManyAttempts"))
            #expect(machine.reasons.count == limit)
        }
    }

    @Test func repetitionsCountAsAttempts() {
        var machine = Machine(limits: .init(maximumAttempts: 3, maximumRedirects: 20))
        _ = machine.handle(.start)
        _ = machine.handle(.prepared)
        var exchanges = 0
        var action = ActionName.authorize
        while action == .authorize {
            exchanges += 1
            _ = machine.handle(.authorized)
            _ = machine.handle(.received(.challenge))
            action = ActionName(machine.handle(.challengesDecided(.repeatExchange(reason: "answered"))))
        }
        #expect(exchanges == 3)
        #expect(action == .fail("tooManyAttempts"))
    }

    @Test func redirectsAreLimitedAndARestartCountsThemAnew() {
        var machine = Machine(limits: .init(maximumAttempts: 10, maximumRedirects: 2))
        _ = machine.handle(.start)
        _ = machine.handle(.prepared)
        for _ in 0..<2 { #expect(Self.redirect(&machine) == .followRedirect(false)) }
        _ = machine.handle(.authorized)
        _ = machine.handle(.received(.other))
        _ = machine.handle(.responseDecided(.restart(reason: "again")))
        _ = machine.handle(.prepared)
        for _ in 0..<2 { #expect(Self.redirect(&machine) == .followRedirect(false)) }
        #expect(Self.redirect(&machine) == .fail("tooManyRedirects"))
    }

    private static func redirect(_ machine: inout Machine) -> ActionName {
        _ = machine.handle(.authorized)
        _ = machine.handle(.received(.redirect))
        return ActionName(machine.handle(.redirectDecided(.follow(sendsBody: false, leavesUnsafe: false))))
    }

    // MARK: The specification

    private static func expected(
        _ state: Machine.State, _ event: TestEvent, bodyIsGone: Bool
    ) -> (action: ActionName, state: Machine.State) {
        if state == .finished { return (.fail("internalInconsistency"), .finished) }
        if event == .failed { return (.fail("timedOut"), .finished) }
        guard let legal = table[state]?[event] else { return (.fail("internalInconsistency"), .finished) }
        if bodyIsGone, event.sendsBodyAgain { return (.fail("bodyNotReplayable"), .finished) }
        return legal
    }

    /// The legal transitions while the body can be sent; design.md §3.
    private static let table: [Machine.State: [TestEvent: (action: ActionName, state: Machine.State)]] = [
        .idle: [.start: (.prepare, .preparing)],
        .preparing: [.prepared: (.authorize, .authorizing)],
        .authorizing: [.authorized: (.exchange, .exchanging)],
        .exchanging: [
            .receivedRedirect: (.inspectRedirect, .inspectingRedirect),
            .receivedChallenge: (.answerChallenges, .answeringChallenges),
            .receivedOther: (.inspectResponse, .inspectingResponse),
        ],
        .inspectingRedirect: [
            .followWithBody: (.followRedirect(false), .authorizing),
            .followWithoutBody: (.followRedirect(false), .authorizing),
            .followAfterUnsafe: (.followRedirect(true), .authorizing),
            .redirectDelivered: (.deliver, .finished),
            .redirectRestarts: (.prepare, .preparing),
        ],
        .answeringChallenges: [
            .challengeAnswered: (.authorize, .authorizing),
            .challengeUnanswered: (.inspectResponse, .inspectingResponse),
        ],
        .inspectingResponse: [
            .responseDelivered: (.deliver, .finished),
            .responseRepeats: (.authorize, .authorizing),
            .responseRestarts: (.prepare, .preparing),
        ],
    ]

    /// A machine that was driven into a state by legal events.
    private static func machine(in state: Machine.State) -> Machine {
        let way: [Machine.State: [TestEvent]] = [
            .idle: [],
            .preparing: [.start],
            .authorizing: [.start, .prepared],
            .exchanging: [.start, .prepared, .authorized],
            .inspectingRedirect: [.start, .prepared, .authorized, .receivedRedirect],
            .answeringChallenges: [.start, .prepared, .authorized, .receivedChallenge],
            .inspectingResponse: [.start, .prepared, .authorized, .receivedOther],
            .finished: [.start, .failed],
        ]
        var machine = Machine(limits: .init(maximumAttempts: 10, maximumRedirects: 20))
        for event in way[state] ?? [] { _ = machine.handle(event.event) }
        #expect(machine.state == state)
        return machine
    }

    /// Checks the rules that hold on every way through the machine.
    private struct Walk {
        var machine = Machine(limits: .init(maximumAttempts: 10, maximumRedirects: 20))
        var preparedAttempts = 0
        var isAuthorized = false

        mutating func step(_ event: TestEvent, bodyIsGone: Bool) {
            let before = machine.state
            let action = ActionName(machine.handle(event.event, bodyIsGone: bodyIsGone))
            switch action {
            case .prepare: preparedAttempts += 1
            case .authorize, .followRedirect: isAuthorized = true
            case .exchange:
                #expect(isAuthorized, "an exchange without authorize before it")
                isAuthorized = false
            default: break
            }
            if case .fail = action { #expect(machine.state == .finished) }
            if before == .finished { #expect(action == .fail("internalInconsistency")) }
            if bodyIsGone, event.sendsBodyAgain { #expect(machine.state == .finished) }
            #expect(machine.reasons.count <= 10)
            #expect(preparedAttempts <= machine.reasons.count)
            #expect(machine.redirects <= 21)
        }
    }
}

/// The events, without payload, so that all of them can be enumerated.
private enum TestEvent: CaseIterable {
    case start, prepared, authorized
    case receivedRedirect, receivedChallenge, receivedOther
    case followWithBody, followWithoutBody, followAfterUnsafe, redirectDelivered, redirectRestarts
    case challengeAnswered, challengeUnanswered
    case responseDelivered, responseRepeats, responseRestarts
    case failed

    var event: Machine.Event {
        switch self {
        case .start: .start
        case .prepared: .prepared
        case .authorized: .authorized
        case .receivedRedirect: .received(.redirect)
        case .receivedChallenge: .received(.challenge)
        case .receivedOther: .received(.other)
        case .followWithBody: .redirectDecided(.follow(sendsBody: true, leavesUnsafe: false))
        case .followWithoutBody: .redirectDecided(.follow(sendsBody: false, leavesUnsafe: false))
        case .followAfterUnsafe: .redirectDecided(.follow(sendsBody: false, leavesUnsafe: true))
        case .redirectDelivered: .redirectDecided(.deliver)
        case .redirectRestarts: .redirectDecided(.restart(reason: "test"))
        case .challengeAnswered: .challengesDecided(.repeatExchange(reason: "test"))
        case .challengeUnanswered: .challengesDecided(.unanswered)
        case .responseDelivered: .responseDecided(.deliver)
        case .responseRepeats: .responseDecided(.repeatExchange(reason: "test"))
        case .responseRestarts: .responseDecided(.restart(reason: "test"))
        case .failed: .failed(ConversationError(.timedOut, "test"))
        }
    }

    /// Whether going on this way would need the body once more. A challenge does: its answer repeats the exchange.
    var sendsBodyAgain: Bool {
        switch self {
        case .receivedChallenge, .followWithBody, .redirectRestarts, .challengeAnswered, .responseRepeats,
            .responseRestarts:
            true
        default: false
        }
    }
}

/// An action that can be compared.
private enum ActionName: Equatable {
    case prepare, authorize, exchange, inspectRedirect, answerChallenges, inspectResponse, deliver
    case followRedirect(Bool)
    case fail(String)

    init(_ action: Machine.Action) {
        self =
            switch action {
            case .prepare: .prepare
            case .authorize: .authorize
            case .followRedirect(let isRestartPoint): .followRedirect(isRestartPoint)
            case .exchange: .exchange
            case .inspectRedirect: .inspectRedirect
            case .answerChallenges: .answerChallenges
            case .inspectResponse: .inspectResponse
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
