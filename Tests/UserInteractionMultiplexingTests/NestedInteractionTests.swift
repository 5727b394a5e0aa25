import Testing

@testable import UserInteractionMultiplexing

/// What an interaction asks for while it has the screen.
@Suite(.timeLimit(.minutes(1))) struct NestedInteractionTests {
    @Test func aQuestionOfTheOneOnScreenDoesNotWaitForIt() async throws {
        let screen = UserInteractionMultiplexer()
        #expect(!screen.isInside)
        let answer = try await screen.perform("login") {
            #expect(screen.isInside)
            // Also from a task of its own, which flights are.
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
}
