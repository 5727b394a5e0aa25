import HTTPTypes
import HttpConversationTesting
import Testing

@testable import HttpConversation

/// Steps within steps.
@Suite(.timeLimit(.minutes(1))) struct NestedStepTests {
    /// A page within a login that demands a login is delivered as it is. Otherwise each login would begin another.
    @Test(arguments: Demand.allCases)
    func noLoginIsBegunWithinALogin(demand: Demand) async throws {
        let runs = Box(0)
        let inner: ConversationStep<StepOutcome> = ConversationStep("inner") { _ in runs.update { $0 += 1 } }
        let bench = StepBench(
            demand, body: "please log in", change: { $0.redirects.follows = false }
        ) { _, context in
            let page = try await context.start(HTTPRequest(.get, "http://h/page")) {
                demand.add(inner, to: &$0)
            }
            #expect(page.status == demand.status)
            #expect(page.text == "please log in")
            return .declined
        }
        bench.gate.open()
        #expect(try await bench.get().status == demand.status)
        #expect(runs.value == 0)
        #expect(bench.runs.value == 1)
    }

    @Test func aStepThatAsksForItselfIsAnError() async throws {
        let step = Box<ConversationStep<StepOutcome>?>(nil)
        let bench = StepBench { _, context in
            guard let step = step.value else { return .declined }
            return try await context.perform(step)
        }
        step.update { $0 = bench.step }
        bench.gate.open()
        #expect(await failureCode { try await bench.get() } == .internalInconsistency)
        #expect(bench.runs.value == 1)
    }

    /// A fetch may need a login. Everything within the fetch is shared by all who need the fetch.
    @Test func aStepRunsAnother() async throws {
        let fetches = Box(0)
        let bench = StepBench(key: "outer", policy: .fetch) { bench, context in
            let inner = ConversationStep("inner", policy: .login) { context -> Int in
                #expect(context.isPartOfLogin)
                fetches.update { $0 += 1 }
                return 7
            }
            #expect(!context.isPartOfLogin)
            let outcome = try await context.perform(inner)
            #expect(outcome == 7)
            bench.isLoggedIn.update { $0 = true }
            return .done
        }
        async let results = bench.get(20)
        await bench.open(at: 20)
        #expect(await results == ["200": 20])
        #expect(fetches.value == 1)
    }
}
