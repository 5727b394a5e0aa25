import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Steps that ask a person.
@Suite(.timeLimit(.minutes(1))) struct InteractiveStepTests {
    private static let limit = Duration.seconds(600)

    @Test(arguments: Demand.allCases)
    func theTimeLimitCountsOnceFromWhenTheScreenIsFree(demand: Demand) async throws {
        let clock = TestClock()
        let bench = StepBench(
            demand,
            change: {
                $0.clock = clock
                $0.interactionTimeout = Self.limit
            }
        ) { _, context in
            try await context.interact { try await Gate().wait() }
            return .done
        }
        bench.gate.open()
        let screen = bench.manager.configuration.multiplexer
        let other = Gate()
        async let busy: Void = screen.perform("other") { try await other.wait() }
        async let result = bench.get(1)
        try await until { await screen.queueLength == 1 }
        // The other interaction takes this long.
        clock.advance(by: Self.limit * 3)
        #expect(clock.sleepers == 0)
        #expect(bench.runs.value == 0)
        other.open()
        try await busy
        try await until { bench.runs.value == 1 && clock.sleepers > 0 }
        #expect(clock.sleepers == 1)
        clock.advance(by: Self.limit - .seconds(1))
        #expect(clock.sleepers == 1)
        clock.advance(by: .seconds(1))
        #expect(await result == ["timedOut": 1])
        #expect(bench.runs.value == 1)
        // The screen is free again.
        #expect(try await screen.perform("next") { true })
    }

    @Test func aStepWithoutInteractionHasNoTimeLimit() async throws {
        let clock = TestClock()
        let bench = StepBench(
            policy: .fetch,
            change: {
                $0.clock = clock
                $0.interactionTimeout = Self.limit
            })
        async let result = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        try await until { bench.runs.value == 1 }
        #expect(clock.sleepers == 0)
        bench.gate.open()
        #expect(await result == ["200": 1])
    }

    @Test func oneScreenForStepsOfDifferentKeys() async throws {
        let first = StepBench(key: "first")
        let shared = first.manager.configuration.multiplexer
        let second = StepBench(key: "second", change: { $0.multiplexer = shared })
        second.gate.open()
        async let one = first.get(1)
        await first.session.steps.waitForWaiters(1, of: first.step.key)
        try await until { first.runs.value == 1 }
        async let two = second.get(1)
        try await until { await shared.queueLength == 1 }
        #expect(second.runs.value == 0)
        first.gate.open()
        #expect(await one == ["200": 1])
        #expect(await two == ["200": 1])
    }

    /// The inner step would wait for a screen that its own waiter holds.
    @Test(arguments: [true, false])
    func anInnerStepDoesNotWaitForItsWaitersScreen(isWholeStep: Bool) async throws {
        let asked = Box(0)
        let inner = ConversationStep("inner", policy: StepPolicy(isInteractive: isWholeStep, remembers: .outcomes)) {
            context -> Int in
            let ask = { @Sendable in
                asked.update { $0 += 1 }
                return asked.value
            }
            return isWholeStep ? ask() : try await context.interact(ask)
        }
        let bench = StepBench { bench, context in
            let answer = try await context.perform(inner)
            #expect(answer == 1)
            bench.isLoggedIn.update { $0 = true }
            return .done
        }
        let other = testManager(ScriptedTransport { _, _ in .init(.ok) }) {
            $0.session = bench.session
            $0.multiplexer = bench.manager.configuration.multiplexer
            $0.requestFilters.add(TestFilter(onPrepare: { _, context in _ = try await context.perform(inner) }))
        }
        async let login = bench.get(1)
        try await until { bench.runs.value == 1 }
        async let response = other.data(for: HTTPRequest(.get, "http://other/"))
        try await until { await bench.manager.configuration.multiplexer.queueLength == 1 }
        bench.gate.open()
        #expect(await login == ["200": 1])
        #expect(try await response.status == .ok)
        #expect(asked.value == 1)
    }

    /// The limit also holds if a request filter asks the person ahead of the request.
    @Test func askingAheadTimesOut() async throws {
        let clock = TestClock()
        let bench = StepBench(change: {
            $0.clock = clock
            $0.interactionTimeout = Self.limit
            $0.requestFilters.add(
                TestFilter(onAuthorize: { _, context in try await context.interact { try await Gate().wait() } }))
        })
        async let result = bench.get(1)
        try await until { clock.sleepers == 1 }
        clock.advance(by: Self.limit)
        #expect(await result == ["timedOut": 1])
        #expect(bench.requests.isEmpty)
    }
}
