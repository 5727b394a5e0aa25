import Dispatch
import Foundation
import HTTPTypes
import HttpConvConcurrency
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConversation

/// Every wait of more than a second is reported.
@Suite("Waits", .timeLimit(.minutes(1))) struct WaitingTests {
    private final class Heard: ConversationObserver {
        let waits = Mutex<[String]>([])

        func observe(_ event: ConversationEvent) {
            guard case .waiting(let wait) = event.kind else { return }
            waits.withLock { $0.append("\(wait.reason) \(wait.seconds.map { "\($0)" } ?? "-")") }
        }
    }

    @Test("A known wait is told at once, where it is longer than a second")
    func known() async throws {
        let heard = Heard()
        let filter = Announcing(durations: [.milliseconds(900), .seconds(1), .milliseconds(1100), .seconds(30)])
        let manager = testManager(ScriptedTransport { _, _ in .init(.ok, body: "ok") }) { configuration in
            configuration.add(filter)
            configuration.observers.add(heard)
        }
        _ = try await manager.get("http://h/")
        #expect(heard.waits.withLock { $0 } == ["for the next code 2", "for the next code 30"])
    }

    private struct Announcing: RequestFilter {
        let durations: [Duration]

        func authorize(_ request: inout ConversationRequest, in context: ConversationContext) async throws {
            for duration in durations { context.announceWait("for the next code", duration) }
        }
    }

    @Test(
        "A conversation that shares another one's login hears of the wait; the one that runs it does not",
        arguments: Demand.allCases)
    func shared(_ demand: Demand) async throws {
        let heard = Heard()
        let bench = StepBench(demand, change: { $0.observers.add(heard) })
        try await Waiting.$reportDelay.withValue(.zero) {
            async let first = bench.get()
            try await until { bench.runs.value == 1 }
            #expect(heard.waits.withLock { $0 }.isEmpty)
            async let second = bench.get()
            try await until { heard.waits.withLock { !$0.isEmpty } }
            bench.gate.open()
            _ = try await (first, second)
        }
        let waits = heard.waits.withLock { $0 }
        #expect(Set(waits).count == 1)
        #expect(waits.first?.contains("another request has begun") == true)
    }

    /// Is slow with the first event.
    private final class Slow: ConversationObserver {
        let begins = AsyncStream<Void>.makeStream()
        let mayGoOn = DispatchSemaphore(value: 0)
        let seen = Box<[UInt64]>([])

        func observe(_ event: ConversationEvent) {
            if event.sequence == 0 {
                begins.continuation.finish()
                mayGoOn.wait()
            }
            seen.update { $0.append(UInt64(event.sequence)) }
        }
    }

    private static func wait(_ reason: String) -> ConversationEvent.Kind { .waiting(.init(LongWait(reason))) }

    @Test("An event of another thread waits until the one before has been told, and a wait of an ended one is not told")
    func order() async throws {
        let slow = Slow()
        let log = EventLog(
            id: ConversationID(), parentID: nil, observers: Observers([slow]), additional: [], clock: ContinuousClock())
        Thread.detachNewThread { log.emit(Self.wait("for the first")) }
        for await _ in slow.begins.stream {}
        log.emit(Self.wait("for the second"))
        log.emit(.conversationEnded(.failure(.cancelled)))
        log.emit(Self.wait("for nobody"))
        #expect(slow.seen.value.isEmpty)
        slow.mayGoOn.signal()
        try await until { slow.seen.value.count == 3 }
        log.emit(Self.wait("for nobody"))
        #expect(slow.seen.value == [0, 1, 2])
    }

    @Test("A short wait is not reported")
    func short() async throws {
        let heard = Mutex<[LongWait]>([])
        await Waiting.$listener.withValue(Waiting.Listener { wait in heard.withLock { $0.append(wait) } }) {
            await Waiting.during("for nothing") {}
            Waiting.announce("for little", .milliseconds(10))
            Waiting.announce("for long", .seconds(2))
        }
        #expect(heard.withLock { $0 } == [LongWait("for long", duration: .seconds(2))])
    }

    @Test(
        "A sentence says for what, and how long",
        arguments: [
            (LongWait("for x", duration: .milliseconds(10_001)), "Waiting 11 s for x."),
            (LongWait("for x"), "Waiting for x."),
            (LongWait("for x", duration: .seconds(5), isLimit: true), "Waiting for x, 5 s at most."),
        ])
    func sentence(_ wait: LongWait, _ sentence: String) { #expect(wait.sentence == sentence) }
}
