import HTTPTypes
import Testing

@testable import HttpConversation

/// One run serves all demands, and later demands get its outcome.
@Suite(.timeLimit(.minutes(1))) struct SharedStepTests {
    @Test(arguments: Demand.allCases)
    func simultaneousCallersShareARun(demand: Demand) async {
        let bench = StepBench(demand)
        async let results = bench.get(200)
        await bench.open(at: 200)
        #expect(await results == ["200": 200])
        #expect(bench.runs.value == 1)
        #expect(bench.requests.count == 400)
    }

    @Test(arguments: Demand.allCases)
    func aFailureReachesEarlierExchangesOnly(demand: Demand) async throws {
        let bench = StepBench(demand) { _, _ in throw PlannedError() }
        async let late = bench.get(20, slowly: true)
        try await until { bench.requests.count == 20 }
        async let early = bench.get(20)
        await bench.open(at: 20)
        #expect(await early == ["authenticationFailed": 20])
        #expect(bench.runs.value == 1)
        bench.wire.open()
        #expect(await late == ["authenticationFailed": 20])
        #expect(bench.runs.value == 1)
        // A later demand runs the step again.
        let error = await #expect(throws: ConversationError.self) { try await bench.get() }
        #expect(error?.underlyingError is PlannedError)
        #expect(bench.runs.value == 2)
    }

    @Test(arguments: Demand.allCases)
    func anOlderDemandContinuesWithoutTheStep(demand: Demand) async throws {
        let bench = StepBench(demand)
        bench.gate.open()
        async let late = bench.get(20, slowly: true)
        try await until { bench.requests.count == 20 }
        #expect(try await bench.get().status == .ok)
        bench.wire.open()
        #expect(await late == ["200": 20])
        #expect(bench.runs.value == 1)
    }

    @Test(arguments: [StepPolicy.Memory.nothing, .failures])
    func forgottenOutcomesRunAgain(memory: StepPolicy.Memory) async throws {
        let bench = StepBench(policy: StepPolicy(remembers: memory))
        bench.gate.open()
        async let late = bench.get(slowly: true)
        try await until { bench.requests.count == 1 }
        #expect(try await bench.get().status == .ok)
        bench.wire.open()
        #expect(try await late.status == .ok)
        #expect(bench.runs.value == 2)
    }

    @Test func aDemandIsOlderThanTheCookiesOfAnotherLogin() async throws {
        let bench = StepBench()
        async let late = bench.get(slowly: true)
        try await until { bench.requests.count == 1 }
        bench.session.handOver([Cookie(name: "s", value: "1", domain: "h", isHostOnly: true)])
        bench.isLoggedIn.update { $0 = true }
        bench.wire.open()
        #expect(try await late.status == .ok)
        #expect(bench.runs.value == 0)
    }

    @Test func sessionsShareNothing() async throws {
        let benches = [StepBench(), StepBench()]
        await withTaskGroup(of: Void.self) { group in
            for bench in benches {
                group.addTask { #expect(await bench.get(10) == ["200": 10]) }
                group.addTask { await bench.open(at: 10) }
            }
        }
        #expect(benches.map(\.runs.value) == [1, 1])
        // The same holds for steps that run one after the other: another session's outcome does not count.
        let failing = StepBench { _, _ in throw PlannedError() }
        failing.gate.open()
        await #expect(throws: ConversationError.self) { try await failing.get() }
        let other = StepBench()
        other.gate.open()
        #expect(try await other.get().status == .ok)
        #expect(other.runs.value == 1)
    }

    @Test func managersOfOneSessionShareARun() async {
        let session = HttpSession()
        let benches = [StepBench(session: session), StepBench(session: session)]
        async let first = benches[0].get(5)
        await session.steps.waitForWaiters(5, of: benches[0].step.key)
        async let second = benches[1].get(5)
        await session.steps.waitForWaiters(10, of: benches[0].step.key)
        benches[1].isLoggedIn.update { $0 = true }
        benches[0].gate.open()
        #expect(await first == ["200": 5])
        #expect(await second == ["200": 5])
        #expect(benches.map(\.runs.value) == [1, 0])
    }

    @Test func oneKeyWithTwoOutcomesIsTwoSteps() async throws {
        let context = try testContext()
        let text = ConversationStep("key", policy: .fetch) { _ -> String in "text" }
        let number = ConversationStep("key", policy: .fetch) { _ -> Int in 1 }
        #expect(try await context.perform(text) == "text")
        #expect(try await context.perform(number) == 1)
    }
}
