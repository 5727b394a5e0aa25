import HttpConvConcurrency
import Testing

@testable import HttpConversation

/// Interactions that are requested during an interaction on the screen.
@Suite(.timeLimit(.minutes(1))) struct NestedInteractionTests {
    @Test func aNestedInteractionDoesNotWaitForItsOwner() async throws {
        let screen = UserInteractionMultiplexer()
        #expect(!screen.isInside)
        let answer = try await screen.perform("login") {
            #expect(screen.isInside)
            // It also works from a separate task, as flights use one.
            return try await Task { try await screen.perform("password") { "secret" } }.value
        }
        #expect(answer == "secret")
        #expect(!screen.isInside)
    }

    @Test func anotherScreenIsAnotherQueue() async throws {
        let (first, second) = (UserInteractionMultiplexer(), UserInteractionMultiplexer())
        let answer = try await first.perform("login") {
            #expect(!second.isInside)
            return try await second.perform("login") { first.isInside && second.isInside }
        }
        #expect(answer)
    }

    /// Without lending, an interaction that has the screen would wait for work that queues for it: a deadlock.
    @Test(arguments: [true, false])
    func aStepOfTheScreensOwnerDoesNotQueue(isQueuedBefore: Bool) async throws {
        let screen = UserInteractionMultiplexer()
        let work = SendableKey("work", for: Bool.self)
        let ask = { @Sendable in
            Task.detached { try await screen.perform("question", asPartOf: [work]) { screen.isInside } }
        }
        let answer = try await screen.perform("login") {
            let queued = isQueuedBefore ? ask() : nil
            while await screen.queueLength < (isQueuedBefore ? 1 : 0) { await Task.yield() }
            return try await screen.lendingScreen(to: work) { try await (queued ?? ask()).value }
        }
        #expect(answer)
        // The screen is lent only while the interaction waits for the work.
        try await screen.perform("login") {
            let queued = ask()
            while await screen.queueLength < 1 { await Task.yield() }
            queued.cancel()
        }
    }

    /// The screen is passed on when its last user has left.
    @Test func aLentScreenIsPassedOnAfterItsLastUse() async throws {
        let screen = UserInteractionMultiplexer()
        let work = SendableKey("work", for: String.self)
        let (isShown, shown) = AsyncStream<Void>.makeStream()
        let (ends, end) = AsyncStream<Void>.makeStream()
        let question = Task {
            try await screen.perform("login") {
                await screen.lendingScreen(to: work) {
                    let question = Task.detached {
                        try await screen.perform("question", asPartOf: [work]) {
                            shown.finish()
                            for await _ in ends {}
                        }
                    }
                    for await _ in isShown {}
                    return question
                }
            }
        }
        let shownQuestion = try await question.value
        let next = Task { try await screen.perform("next") { true } }
        while await screen.queueLength < 1 { await Task.yield() }
        end.finish()
        try await shownQuestion.value
        #expect(try await next.value)
    }
}
