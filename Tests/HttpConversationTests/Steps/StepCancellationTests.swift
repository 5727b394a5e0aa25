import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Waiters that are cancelled, and the effect on the step.
@Suite(.timeLimit(.minutes(1))) struct StepCancellationTests {
    @Test func theStepContinuesForRemainingWaiters() async throws {
        let bench = StepBench()
        let first = Task { try await bench.get() }
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        async let others = bench.get(5)
        await bench.session.steps.waitForWaiters(6, of: bench.step.key)
        first.cancel()
        #expect(await failureCode { try await first.value } == .cancelled)
        bench.gate.open()
        #expect(await others == ["200": 5])
        #expect(bench.runs.value == 1)
    }

    /// The outcome of a step, such as a password, does not come back by a run that began before it was removed.
    @Test func aRemovalAlsoForgetsTheOutcomeOfARunningStep() async throws {
        let bench = StepBench(policy: StepPolicy(remembers: .outcomes)) { bench, _ in
            bench.isLoggedIn.update { $0 = true }
            return .done
        }
        async let response = bench.get()
        await bench.session.steps.waitForWaiters(1, of: bench.step.key)
        bench.session.removeCredentials()
        bench.gate.open()
        #expect(try await response.status == .ok)
        #expect(!bench.session.steps.knows(bench.step.key, after: 0))
    }

    @Test(arguments: [false, true])
    func theLastWaiterCancelsTheStepUnlessItRunsToCompletion(runsToCompletion: Bool) async throws {
        let ends = Box<[Bool]>([])
        let bench = StepBench(policy: StepPolicy(runsToCompletion: runsToCompletion, remembers: .outcomes)) {
            bench, _ in
            bench.isLoggedIn.update { $0 = true }
            ends.update { $0.append(true) }
            return .done
        }
        let waiters = (0..<3).map { _ in Task { try await bench.get() } }
        await bench.session.steps.waitForWaiters(3, of: bench.step.key)
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await #expect(throws: ConversationError.self) { try await waiter.value } }
        if runsToCompletion {
            // The next demand joins it.
            async let next = bench.get(1)
            await bench.open(at: 1)
            #expect(await next == ["200": 1])
            #expect(bench.runs.value == 1)
            #expect(ends.value == [true])
        } else {
            bench.gate.open()
            #expect(try await bench.get().status == .ok)
            #expect(bench.runs.value == 2)
            #expect(ends.value == [true])
        }
    }

    /// A flow's mapping of errors does not apply to a waiter's cancellation.
    @Test func cancellationIsAlwaysTheSameError() async throws {
        let bench = StepBench()
        let step = bench.step.mapFailure { _ in PlannedError() }
        let context = try testContext()
        let waiter = Task { try await context.perform(step) }
        await context.session.steps.waitForWaiters(1, of: step.key)
        waiter.cancel()
        await #expect(throws: CancellationError.self) { try await waiter.value }
    }
}
