import Foundation
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpConvVault

/// Work under a lease, and waiting for a lease.
@Suite(.timeLimit(.minutes(1))) struct HeldLeaseTests {
    let place: TemporaryVault
    let clock = TestClock(sleepsAdvance: true)

    init() throws { place = try TemporaryVault() }

    private struct Refusal: Error {}

    /// Runs work under the lease "n" for ten seconds at a time; its `until` never ends the wait.
    private func hold<Outcome: Sendable>(
        _ vault: DataVault, _ work: (DataVaultLease) async throws -> Outcome
    ) async throws -> Outcome {
        try await vault.withLease("n", holder: "h", duration: .seconds(10), until: { nil }, work)
    }

    @Test func theLeaseIsReleased() async throws {
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        let token = try await hold(first) { (lease) async throws -> Int64 in
            #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
            return lease.token
        }
        #expect(token == 1)
        #expect(try await second.leaseHolder("n") == nil)
        await #expect(throws: Refusal.self) { try await hold(first) { _ in throw Refusal() } }
        #expect(try await second.leaseHolder("n") == nil)
    }

    @Test func aCancelledHolderReleasesTheLease() async throws {
        let (first, second) = (try await place.create(), try await place.open())
        let (begun, signal) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await hold(first) { _ in
                signal.yield()
                try await Task.sleep(for: .seconds(3600))
            }
        }
        for await _ in begun { break }
        #expect(try await second.leaseHolder("n") != nil)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await second.leaseHolder("n") == nil)
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) != nil)
    }

    /// The holders' clock advances by a third of the duration with each wait.
    @Test func theLeaseLastsAsLongAsTheWork() async throws {
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        try await hold(first) { lease in
            while clock.slept.count < 9 { try await Task.sleep(for: .milliseconds(1)) }
            #expect(clock.slept.first ?? .zero < .seconds(4))
            #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
            try await first.write([1], for: "k", in: "c", under: lease)
        }
    }

    /// The holder is suspended for longer than its lease, and another one takes it.
    @Test func writesOfAStoppedHolderAreRefused() async throws {
        let late = TestClock(sleepsAdvance: true)
        late.advance(by: .seconds(60))
        let (first, second) = (try await place.create(), try await place.open(.timed(by: late)))
        await #expect {
            try await first.withLease("n", holder: "h", duration: .seconds(3600), until: { nil }) { lease in
                try await first.transaction { transaction in
                    _ = try transaction.renew(lease, duration: .milliseconds(1))
                }
                let other = try #require(try await second.acquireLease("n", holder: "two", duration: .seconds(10)))
                #expect(other.token > lease.token)
                try await first.write([1], for: "k", in: "c", under: lease)
            }
        } throws: { ($0 as? DataVaultError)?.code == .leaseLost }
        #expect(try await second.leaseHolder("n")?.holder == "two", "it is not given back by who has lost it")
        #expect(try await second.read("k", in: "c") == nil)
    }

    /// A waiter returns the holder's result without ever having the lease.
    @Test func aWaiterReturnsTheHoldersResult() async throws {
        let (first, second) = (try await place.create(), try await place.open())
        let lease = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(600)))
        let (waiting, signal) = AsyncStream<Void>.makeStream()
        let looks = Mutex(0)
        let task = Task {
            try await second.withLease(
                "n", holder: "two", duration: .seconds(10),
                until: { () -> UInt8? in
                    signal.yield()
                    looks.withLock { $0 += 1 }
                    return try await second.read("k", in: "c")?.value.first
                }, { _ in 0 })
        }
        for await _ in waiting { break }
        try await first.write([7], for: "k", in: "c")
        #expect(try await task.value == 7)
        #expect((1...2).contains(looks.withLock { $0 }))
        try await first.release(lease)
    }

    @Test func aWaiterGetsTheLeaseOfAnEndedHolder() async throws {
        let (first, second) = (try await place.create(), try await place.open())
        _ = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(600)))
        let (waiting, signal) = AsyncStream<Void>.makeStream()
        let task = Task {
            try await second.withLease(
                "n", holder: "two", duration: .seconds(10),
                until: {
                    signal.yield(); return nil
                }, { $0.token })
        }
        for await _ in waiting { break }
        // Closing has the same effect as the end of its process.
        try await first.close()
        #expect(try await task.value == 2)
    }

    @Test func aCancelledWaiterLeavesNothing() async throws {
        let (first, second) = (try await place.create(), try await place.open())
        let lease = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(600)))
        let before = try FileManager.default.contentsOfDirectory(atPath: place.directory.path).sorted()
        let (waiting, signal) = AsyncStream<Void>.makeStream()
        let task = Task {
            await code {
                try await second.withLease(
                    "n", holder: "two", duration: .seconds(10),
                    until: {
                        signal.yield(); return nil
                    }, { _ in })
            }
        }
        for await _ in waiting { break }
        task.cancel()
        #expect(await task.value == .cancelled)
        #expect(try await first.leaseHolder("n")?.holder == "one")
        #expect(try FileManager.default.contentsOfDirectory(atPath: place.directory.path).sorted() == before)
        _ = try await first.renew(lease, duration: .seconds(10))
    }

    /// A waiter does not take the write lock again and again.
    @Test func waitingTakesNoTransactions() async throws {
        let begun = Mutex(0)
        var options = DataVaultConfiguration.timed(by: clock)
        options.failPoint = { point in if point == .transactionBegun { begun.withLock { $0 += 1 } } }
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(options))
        _ = try await first.acquireLease("n", holder: "one", duration: .seconds(60))
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(60), waiting: .seconds(3)) == nil)
        #expect(begun.withLock { $0 } <= 2)
        #expect(clock.slept.count > 10)
    }

    /// A single connection behaves like several.
    @Test func oneConnectionBehavesLikeSeveral() async throws {
        var options = DataVaultConfiguration()
        options.usesOneConnection = true
        let (first, second) = (try await place.create(options), try await place.open(options))
        let lease = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(10)))
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
        let stamp = second.changeStamp
        try await first.write([1], for: "k", in: "c", under: lease)
        #expect(second.changeStamp != stamp)
        #expect(try await second.read("k", in: "c")?.value == [1])
        try await first.close()
        #expect(first.changeStamp == nil)
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) != nil)
    }
}
