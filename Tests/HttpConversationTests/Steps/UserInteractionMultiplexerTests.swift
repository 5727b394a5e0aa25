import HttpConvConcurrency
import Synchronization
import Testing

@testable import HttpConversation

@Suite(.timeLimit(.minutes(1))) struct SingleFlightTests {
    @Test func allWaitersShareOneRun() async throws {
        let flight = SingleFlight<String, Int>()
        let runs = Log()
        let values = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 {
                group.addTask {
                    try await flight.join("key") {
                        await flight.waitForWaiters(100, of: "key")
                        return runs.add("run")
                    }
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(values == Array(repeating: 1, count: 100))
        #expect(flight.waiterCount("key") == 0)
        #expect(try await flight.join("key") { 7 } == 7)
    }

    @Test func aFailureGoesToAllAndIsNotKept() async throws {
        struct Failure: Error {}
        let flight = SingleFlight<String, Int>()
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    await #expect(throws: Failure.self) {
                        try await flight.join("key") {
                            await flight.waitForWaiters(10, of: "key")
                            throw Failure()
                        }
                    }
                }
            }
        }
        #expect(try await flight.join("key") { 1 } == 1)
    }

    /// A run that has begun, and ends with 5.
    private func begin(
        _ flight: SingleFlight<String, Int>, until gate: AsyncStream<Void>
    ) async -> Task<Int, any Error> {
        let task = Task {
            try await flight.join("key") {
                for await _ in gate { break }
                return 5
            }
        }
        await flight.waitForWaiters(1, of: "key")
        return task
    }

    @Test func aCancelledWaiterLeavesTheOthersAlone() async throws {
        let flight = SingleFlight<String, Int>()
        let gate = AsyncStream<Void>.makeStream()
        let first = await begin(flight, until: gate.stream)
        let second = Task { try await flight.join("key") { 6 } }
        await flight.waitForWaiters(2, of: "key")
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.continuation.yield()
        #expect(try await second.value == 5)
    }

    @Test func theLastWaiterCancelsTheFlight() async throws {
        let flight = SingleFlight<String, Int>()
        let ended = AsyncStream<Bool>.makeStream()
        let waiters = (0..<3).map { _ in
            Task {
                try await flight.join("key") {
                    try? await Task.sleep(for: .seconds(3600))
                    ended.continuation.yield(Task.isCancelled)
                    return 1
                }
            }
        }
        await flight.waitForWaiters(3, of: "key")
        for waiter in waiters { waiter.cancel() }
        for waiter in waiters { await #expect(throws: CancellationError.self) { try await waiter.value } }
        var iterator = ended.stream.makeAsyncIterator()
        #expect(await iterator.next() == true)
        #expect(flight.waiterCount("key") == 0)
    }

    @Test func aTaskThatIsCancelledAlreadyDoesNotWait() async {
        let flight = SingleFlight<String, Int>()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await flight.join("key") { 1 }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(flight.waiterCount("key") == 0)
    }

    @Test func oneCanJoinOnlyWhatRuns() async throws {
        let flight = SingleFlight<String, Int>()
        let waiter = Mutex<Task<Int, any Error>?>(nil)
        #expect(flight.joinIfRunning("key") == nil)
        let value = try await flight.join("key") {
            let place = try #require(flight.joinIfRunning("key"))
            #expect(flight.waiterCount("key") == 2)
            #expect(flight.joinIfRunning("other") == nil)
            waiter.withLock { $0 = Task { try await place.outcome() } }
            return 3
        }
        #expect(value == 3)
        #expect(try await waiter.withLock { $0 }?.value == 3)
        #expect(flight.joinIfRunning("key") == nil)
    }

    @Test func aPlaceHasTheOutcomeOfARunThatHasEndedMeanwhile() async throws {
        let flight = SingleFlight<String, Int>()
        let places = Mutex<[SharedRun<Int>.Place]>([])
        _ = try await flight.join("key") {
            let place = try #require(flight.joinIfRunning("key"))
            places.withLock { $0.append(place) }
            return 4
        }
        let place = try #require(places.withLock { $0.first })
        #expect(try await place.outcome() == 4)
    }

    @Test func aCancelledTaskLeavesThePlaceThatItHas() async throws {
        let flight = SingleFlight<String, Int>()
        let gate = AsyncStream<Void>.makeStream()
        let first = await begin(flight, until: gate.stream)
        let place = try #require(flight.joinIfRunning("key"))
        let second = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await place.outcome()
        }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(flight.waiterCount("key") == 1)
        gate.continuation.yield()
        #expect(try await first.value == 5)
    }

    @Test func aRunThatAllHaveLeftIsNotJoined() async throws {
        let flight = SingleFlight<String, Int>()
        let gate = AsyncStream<Void>.makeStream()
        let outcomes = Log()
        let first = Task {
            try await flight.join("key", completed: { _ in outcomes.add("abandoned") }) {
                // Goes on although it is cancelled.
                await Task { for await _ in gate.stream { break } }.value
                return 1
            }
        }
        await flight.waitForWaiters(1, of: "key")
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        #expect(flight.joinIfRunning("key") == nil)
        let value = try await flight.join("key", completed: { _ in outcomes.add("other") }) {
            gate.continuation.yield()
            return 2
        }
        #expect(value == 2)
        #expect(outcomes.lines == ["other"])
    }

    @Test func keysDifferByTheTypesOfKeyAndValue() {
        let key = SendableKey(1, for: Int.self)
        #expect(key == SendableKey(1, for: Int.self))
        #expect(key != SendableKey(2, for: Int.self))
        #expect(key != SendableKey(1, for: String.self))
        #expect(key != SendableKey(Int8(1), for: Int.self))
    }
}

@Suite(.timeLimit(.minutes(1))) struct UserInteractionMultiplexerTests {
    @Test func equalRequestsShareOneScreenAndDifferentOnesQueue() async throws {
        let multiplexer = UserInteractionMultiplexer()
        let shown = Log()
        let onScreen = Log()
        let gate = AsyncStream<Void>.makeStream()
        let ask: @Sendable (String) async throws -> String = { server in
            try await multiplexer.perform(server) {
                #expect(onScreen.add(server) == 1)
                shown.add(server)
                if server == "a" { for await _ in gate.stream { break } }
                onScreen.removeAll()
                return "answer of \(server)"
            }
        }
        var tasks: [Task<String, any Error>] = []
        for (index, server) in ["a", "a", "b", "a", "b", "c"].enumerated() {
            tasks.append(Task { try await ask(server) })
            let before = ["a", "a", "b", "a", "b", "c"].prefix(index + 1).count { $0 == server }
            while await multiplexer.waiterCount(server, String.self) < before { await Task.yield() }
        }
        while await multiplexer.queueLength < 2 { await Task.yield() }
        gate.continuation.yield()
        var answers: [String] = []
        for task in tasks { answers.append(try await task.value) }
        #expect(answers == ["a", "a", "b", "a", "b", "c"].map { "answer of \($0)" })
        #expect(shown.lines == ["a", "b", "c"])
    }

    @Test func aCancelledQueuedInteractionIsNeverShown() async throws {
        let multiplexer = UserInteractionMultiplexer()
        let gate = AsyncStream<Void>.makeStream()
        let first = Task {
            try await multiplexer.perform("a") {
                for await _ in gate.stream { break }
                return 1
            }
        }
        while await multiplexer.waiterCount("a", Int.self) < 1 { await Task.yield() }
        let second = Task {
            try await multiplexer.perform("b") {
                Issue.record("was shown"); return 2
            }
        }
        while await multiplexer.queueLength < 1 { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        gate.continuation.yield()
        #expect(try await first.value == 1)
        #expect(try await multiplexer.perform("c") { 3 } == 3)
    }

    @Test func aFailingInteractionFreesTheScreen() async throws {
        struct Failure: Error {}
        let multiplexer = UserInteractionMultiplexer()
        await #expect(throws: Failure.self) {
            try await multiplexer.perform("a") { () async throws -> Int in throw Failure() }
        }
        #expect(try await multiplexer.perform("a") { 1 } == 1)
    }
}

/// A log that several tasks write to.
private final class Log: Sendable {
    private let state = Mutex<[String]>([])

    var lines: [String] { state.withLock { $0 } }

    /// - Returns: the number of lines
    @discardableResult func add(_ line: String) -> Int {
        state.withLock { lines in
            lines.append(line)
            return lines.count
        }
    }

    func removeAll() { state.withLock { $0.removeAll() } }
}
