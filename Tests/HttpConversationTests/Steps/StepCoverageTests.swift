import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Requests that wait for a running step instead of demanding the same.
@Suite(.timeLimit(.minutes(1))) struct StepCoverageTests {
    private static let all: StepCoverage = { _, _ in true }

    @Test(arguments: Demand.allCases)
    func newRequestsWaitForTheStepThatCoversThem(demand: Demand) async {
        let bench = StepBench(demand, covers: Self.all)
        async let first = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        async let others = bench.get(50)
        await bench.open(at: 51)
        #expect(await first == ["200": 1])
        #expect(await others == ["200": 50])
        #expect(bench.runs.value == 1)
        // Only the first request was sent before the login.
        #expect(bench.requests.count == 52)
    }

    @Test func uncoveredRequestsDoNotWait() async throws {
        let bench = StepBench(covers: { request, context in
            request.target.path == "/private" && context.target == request.target
        })
        async let first = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        let other = try await bench.manager.data(
            for: HTTPRequest(.get, "http://h/public"), prepare: { _ in bench.isLoggedIn.update { $0 = true } })
        #expect(other.status == .ok)
        bench.gate.open()
        #expect(await first == ["200": 1])
    }

    @Test func aWaiterThatLeavesDoesNotAffectOthers() async throws {
        let bench = StepBench(covers: Self.all)
        async let first = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        let waiter = Task { try await bench.get() }
        await bench.session.steps.waitForWaiters(2, of: bench.step.key)
        waiter.cancel()
        #expect(await failureCode { try await waiter.value } == .cancelled)
        #expect(bench.requests.count == 1)
        bench.gate.open()
        #expect(await first == ["200": 1])
    }

    /// The request may not need the failed step, so it is sent. If it is demanded, it gets the stored failure without
    /// another run.
    @Test(arguments: Demand.allCases)
    func aRequestIsSentAfterAFailedStep(demand: Demand) async {
        let bench = StepBench(demand, covers: Self.all) { _, _ in throw PlannedError() }
        async let first = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        async let others = bench.get(10)
        await bench.open(at: 11)
        #expect(await first == ["authenticationFailed": 1])
        #expect(await others == ["authenticationFailed": 10])
        #expect(bench.runs.value == 1)
        #expect(bench.requests.count == 11)
    }

    @Test func waitersOfADeclinedLoginGetTheResponse() async {
        let bench = StepBench(covers: Self.all) { _, _ in .declined }
        async let first = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        async let others = bench.get(10)
        await bench.open(at: 11)
        #expect(await first == ["200": 1])
        #expect(await others == ["200": 10])
        #expect(bench.runs.value == 1)
    }

    @Test func waitersOfAChainWaitForItsNextStep() async {
        let next = Gate()
        let second: ConversationStep<StepOutcome> = ConversationStep("second", policy: .init(remembers: .outcomes)) {
            _ in try await next.wait()
        }
        let bench = StepBench(covers: Self.all) { bench, _ in
            .next(
                second.map { outcome in
                    bench.isLoggedIn.update { $0 = true }
                    return outcome
                })
        }
        async let first = bench.get(1)
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        async let others = bench.get(10)
        await bench.open(at: 11)
        await bench.session.steps.waitForWaiters(11, of: second.key)
        next.open()
        #expect(await first == ["200": 1])
        #expect(await others == ["200": 10])
        #expect(bench.runs.value == 1)
    }

    /// A login's own requests wait neither for it nor for another login.
    @Test func aLoginDoesNotWaitForItself() async throws {
        let bench = StepBench(covers: Self.all) { bench, context in
            #expect(context.isPartOfLogin)
            bench.isLoggedIn.update { $0 = true }
            let session = context.session
            let page = try await context.start(HTTPRequest(.get, "http://h/page")) { $0.session = session }
            #expect(page.status == .ok)
            return .done
        }
        bench.gate.open()
        #expect(try await bench.get().status == .ok)
        #expect(try !testContext().isPartOfLogin)
    }
}
