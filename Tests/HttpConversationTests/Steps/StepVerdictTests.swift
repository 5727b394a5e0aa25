import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// The way on after a step.
@Suite(.timeLimit(.minutes(1))) struct StepVerdictTests {
    private typealias Answer = ScriptedTransport.Answer

    @Test(arguments: Demand.allCases)
    func aRepeatedDemandAfterASuccessIsAnError(demand: Demand) async {
        let bench = StepBench(demand) { _, _ in .done }
        bench.gate.open()
        let error = await #expect(throws: ConversationError.self) { try await bench.get() }
        #expect(error?.code == .authenticationFailed)
        #expect(error?.underlyingError as? StepError == .challengedAgain)
        #expect(bench.runs.value == 1)
        #expect(bench.requests.count == 2)
    }

    @Test func theFlowWordsItsFailures() async throws {
        let login: ConversationStep<StepOutcome> = ConversationStep("login") { _ in }
        let step = login.mapFailure { $0 is StepError ? PlannedError() : $0 }
        let manager = testManager(ScriptedTransport { _, _ in Demand.response.answer("") }) {
            Demand.response.add(step, to: &$0)
        }
        let error = await #expect(throws: ConversationError.self) {
            try await manager.data(for: HTTPRequest(.get, "http://h/"))
        }
        #expect(error?.underlyingError is PlannedError)
    }

    /// The steps that a step leads to belong to the same demand.
    @Test(arguments: Demand.allCases)
    func theFlowAlsoWordsFailuresOfLaterSteps(demand: Demand) async throws {
        struct Said: Error {
            let words: [String]
        }
        let say = { @Sendable (word: String) in
            { @Sendable (error: any Error) -> any Error in Said(words: ((error as? Said)?.words ?? []) + [word]) }
        }
        let last: ConversationStep<StepOutcome> = ConversationStep("last") { _ -> Void in throw PlannedError() }
        let middle: ConversationStep<StepOutcome> = ConversationStep("middle") { _ in .next(last.mapFailure(say("own")))
        }
        let first: ConversationStep<StepOutcome> = ConversationStep("first") { _ in
            .next(middle.mapFailure(say("inner")))
        }
        let step = first.mapFailure(say("outer")).mapFailure(say("outermost"))
        let manager = testManager(ScriptedTransport { _, _ in demand.answer("") }) { demand.add(step, to: &$0) }
        let error = await #expect(throws: ConversationError.self) {
            try await manager.data(for: HTTPRequest(.get, "http://h/"))
        }
        #expect((error?.underlyingError as? Said)?.words == ["own", "inner", "outer", "outermost"])
    }

    @Test(arguments: Demand.allCases)
    func aDeclinedStepDeliversTheResponseWithItsBody(demand: Demand) async throws {
        let bench = StepBench(
            demand, body: "please log in", change: { $0.redirects.follows = false }
        ) { _, _ in
            .declined
        }
        bench.gate.open()
        let response = try await bench.get()
        #expect(response.status == demand.status)
        #expect(response.text == "please log in")
        #expect(bench.runs.value == 1)
        #expect(bench.requests.count == 1)
    }

    /// The steps of a chain run in order. Each is shared, and the last one decides how the conversation goes on.
    @Test(arguments: Demand.allCases)
    func oneStepCanStartAnother(demand: Demand) async {
        let order = Box<[Int]>([])
        let bench = StepBench(demand) { bench, _ in
            order.update { $0.append(1) }
            return .next(
                ConversationStep("second") { _ in
                    order.update { $0.append(2) }
                    bench.isLoggedIn.update { $0 = true }
                    return .done
                })
        }
        async let results = bench.get(50)
        await bench.open(at: 50)
        #expect(await results == ["200": 50])
        #expect(order.value == [1, 2])
    }

    @Test(arguments: Demand.allCases)
    func aChainThatEndsDeclinedDeliversTheResponse(demand: Demand) async throws {
        let bench = StepBench(
            demand, body: "please log in", change: { $0.redirects.follows = false }
        ) { bench, _ in
            .next(
                ConversationStep("second") { _ -> StepOutcome in
                    bench.runs.update { $0 += 1 }
                    return .declined
                })
        }
        bench.gate.open()
        #expect(try await bench.get().text == "please log in")
        #expect(bench.runs.value == 2)
    }

    @Test(arguments: Demand.allCases)
    func anEndlessChainIsAnError(demand: Demand) async throws {
        let step = Box<ConversationStep<StepOutcome>?>(nil)
        let bench = StepBench(demand) { _, _ in step.value.map { .next($0) } ?? .declined }
        step.update { $0 = bench.step }
        bench.gate.open()
        #expect(await failureCode { try await bench.get() } == .tooManyAttempts)
    }

    @Test(arguments: Demand.allCases)
    func noStepRunsForAConsumedBody(demand: Demand) async {
        let bench = StepBench(demand)
        bench.gate.open()
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array("once".utf8))
            continuation.finish()
        }
        let error = await #expect(throws: ConversationError.self) {
            try await bench.manager.upload(for: HTTPRequest(.put, "http://h/"), from: .oneShot(chunks))
        }
        #expect(error?.code == .bodyNotReplayable)
        #expect(bench.runs.value == 0)
    }

    /// The step uses the same single connection as the demand, whose body was not read to its end.
    @Test(arguments: Demand.allCases)
    func theExchangeEndsBeforeTheStepRuns(demand: Demand) async throws {
        let transport = OneConnectionTransport { request in
            request.target.path == "/" && request.headerFields[.cookie] == nil
                ? (demand.head, endless: true) : (HTTPResponse(status: .ok), endless: false)
        }
        let step: ConversationStep<StepOutcome> = ConversationStep("login") { context in
            #expect(!transport.isBusy)
            _ = try await context.start(HTTPRequest(.post, "http://h/login"))
            context.session.handOver([Cookie(name: "s", value: "1", domain: "h", isHostOnly: true)])
            return .done
        }
        var configuration = HttpConversationManager.Configuration()
        configuration.multiplexer = .init()
        configuration.peekTimeout = .milliseconds(20)
        demand.add(step, to: &configuration)
        let manager = HttpConversationManager(transport: transport, configuration: configuration)
        #expect(try await manager.data(for: HTTPRequest(.get, "http://h/")).status == .ok)
        #expect(transport.paths == ["/", "/login", "/"])
        #expect(transport.wasCancelled)
    }
}
