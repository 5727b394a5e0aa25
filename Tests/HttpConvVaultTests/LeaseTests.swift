import Foundation
import HttpConversationTesting
import Testing

@testable import HttpConvVault

@Suite(.timeLimit(.minutes(1))) struct LeaseTests {
    let place: TemporaryVault
    let clock = TestClock(sleepsAdvance: true)

    init() throws { place = try TemporaryVault() }

    @Test func onlyOneHolds() async throws {
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        let lease = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(10)))
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
        #expect(try await first.acquireLease("n", holder: "one", duration: .seconds(10)) == nil)
        #expect(try await second.acquireLease("other", holder: "two", duration: .seconds(10)) != nil)
        #expect(try await second.leaseHolder("n") == DataVaultLeaseHolder(holder: "one", expires: lease.expires))
        try await first.release(lease)
        #expect(try await second.leaseHolder("n") == nil)
        let next = try #require(try await second.acquireLease("n", holder: "two", duration: .seconds(10)))
        #expect(next.token > lease.token)
    }

    @Test func stoppedHolderOverwritesNothing() async throws {
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        try await first.write([0], for: "k", in: "c")
        let stale = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(10)))
        clock.advance(by: .milliseconds(9_999))
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
        clock.advance(by: .milliseconds(1))
        let fresh = try #require(try await second.acquireLease("n", holder: "two", duration: .seconds(10)))
        try await second.write([2], for: "k", in: "c", under: fresh)

        #expect(await code { try await first.write([1], for: "k", in: "c", under: stale) } == .leaseLost)
        #expect(await code { try await first.delete("k", in: "c", under: stale) } == .leaseLost)
        #expect(await code { _ = try await first.renew(stale, duration: .seconds(10)) } == .leaseLost)
        try await first.release(stale)
        #expect(try await second.leaseHolder("n")?.holder == "two")
        #expect(try await first.read("k", in: "c")?.value == [2])

        // After the later holder has released it, the earlier one is still refused.
        try await second.release(fresh)
        #expect(await code { try await first.write([1], for: "k", in: "c", under: stale) } == .leaseLost)
        #expect(try await first.read("k", in: "c")?.value == [2])
    }

    @Test func aLateHolderWithoutCompetitionMayWrite() async throws {
        let vault = try await place.create(.timed(by: clock))
        let lease = try #require(try await vault.acquireLease("n", holder: "one", duration: .seconds(1)))
        clock.advance(by: .seconds(60))
        try await vault.write([1], for: "k", in: "c", under: lease)
        let renewed = try await vault.renew(lease, duration: .seconds(5))
        #expect(renewed.token == lease.token)
        #expect(renewed.expires == lease.expires + 64)
        #expect(try await vault.acquireLease("n", holder: "two", duration: .seconds(1)) == nil)
    }

    /// Even if nobody has taken it since.
    @Test func aReleasedLeaseIsNotRenewed() async throws {
        let vault = try await place.create(.timed(by: clock))
        let lease = try #require(try await vault.acquireLease("n", holder: "one", duration: .seconds(10)))
        try await vault.release(lease)
        #expect(await code { _ = try await vault.renew(lease, duration: .seconds(10)) } == .leaseLost)
        #expect(try await vault.leaseHolder("n") == nil)
    }

    /// The lease of a closed vault, like that of an ended process, is free before it expires.
    @Test func closedVaultHoldsNothing() async throws {
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        let lease = try #require(try await first.acquireLease("n", holder: "one", duration: .seconds(10)))
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
        try await first.close()
        #expect(try await second.leaseHolder("n") == nil)
        let next = try #require(try await second.acquireLease("n", holder: "two", duration: .seconds(10)))
        #expect(next.token > lease.token)
        #expect(try await place.open(.timed(by: clock)).acquireLease("n", holder: "3", duration: .seconds(10)) == nil)
    }

    /// Without its lock file, a lease ends by time alone.
    @Test func withoutItsLockALeaseEndsByTime() async throws {
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        _ = try await first.acquireLease("n", holder: "one", duration: .seconds(10))
        for name in lockFiles { try FileManager.default.removeItem(at: place.directory.appendingPathComponent(name)) }
        try await first.close()
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) == nil)
        clock.advance(by: .seconds(10))
        #expect(try await second.acquireLease("n", holder: "two", duration: .seconds(10)) != nil)
    }

    /// After a rollback, the same token is given to another lease.
    @Test func rolledBackLeaseLeavesNoLock() async throws {
        struct Refusal: Error {}
        let (first, second) = (try await place.create(.timed(by: clock)), try await place.open(.timed(by: clock)))
        await #expect(throws: Refusal.self) {
            try await first.transaction { transaction in
                _ = try transaction.acquireLease("n", holder: "one", duration: .seconds(10))
                throw Refusal()
            }
        }
        let lease = try #require(try await second.acquireLease("n", holder: "two", duration: .seconds(10)))
        #expect(try await first.acquireLease("n", holder: "one", duration: .seconds(10)) == nil)
        try await second.release(lease)
        #expect(try await first.acquireLease("n", holder: "one", duration: .seconds(10)) != nil)
    }

    /// Each lease leaves at most one file behind, however it ends.
    @Test func lockFilesDoNotPileUp() async throws {
        let vault = try await place.create(.timed(by: clock))
        for _ in 0..<3 {
            let other = try await place.open(.timed(by: clock))
            _ = try #require(try await other.acquireLease("n", holder: "crashed", duration: .seconds(10)))
            try await other.close()
            _ = try #require(try await vault.acquireLease("n", holder: "late", duration: .seconds(10)))
            clock.advance(by: .seconds(10))
        }
        #expect(lockFiles.count == 1)
        let last = try #require(try await vault.acquireLease("n", holder: "one", duration: .seconds(10)))
        #expect(lockFiles == ["vault.sqlite-lease-\(last.token)"])
        try await vault.release(last)
        #expect(lockFiles == [])
    }

    private var lockFiles: [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: place.directory.path)) ?? []
        return names.filter { $0.contains("-lease-") }
    }

    @Test func anUnknownLeaseIsRefused() async throws {
        let vault = try await place.create(.timed(by: clock))
        for token in [0, 1, -1, Int64.max] {
            let made = DataVaultLease(name: "n", token: token)
            #expect(await code { try await vault.write([1], for: "k", in: "c", under: made) } == .leaseLost)
        }
    }

    @Test func waitingEndsAtItsLimitWithGrowingPauses() async throws {
        let vault = try await place.create(.timed(by: clock))
        _ = try await vault.acquireLease("n", holder: "one", duration: .seconds(60))
        #expect(try await vault.acquireLease("n", holder: "two", duration: .seconds(60), waiting: .seconds(3)) == nil)
        let slept = clock.slept
        #expect(slept.reduce(.zero, +) <= .seconds(3))
        #expect(slept.reduce(.zero, +) > .milliseconds(2_990))
        #expect((10...40).contains(slept.count))
        #expect(slept.max() ?? .zero <= .milliseconds(375))
    }

    @Test func waiterGetsTheLeaseOfACrashedHolder() async throws {
        let vault = try await place.create(.timed(by: clock))
        let first = try #require(try await vault.acquireLease("n", holder: "one", duration: .seconds(2)))
        let second = try await vault.acquireLease("n", holder: "two", duration: .seconds(2), waiting: .seconds(5))
        #expect(try #require(second).token > first.token)
    }

    @Test func waiterCanBeCancelled() async throws {
        let vault = try await place.create()
        _ = try await vault.acquireLease("n", holder: "one", duration: .seconds(600))
        let task = Task {
            await code {
                _ = try await vault.acquireLease("n", holder: "two", duration: .seconds(1), waiting: .seconds(500))
            }
        }
        task.cancel()
        #expect(await task.value == .cancelled)
    }

    @Test(arguments: [Duration.zero, .seconds(-1), .seconds(3601)]) func refusedDurations(_ duration: Duration)
        async throws
    {
        let vault = try await place.create(.timed(by: clock))
        #expect(
            await code { _ = try await vault.acquireLease("n", holder: "h", duration: duration) } == .invalidArgument)
    }

    /// A clock that was a day ahead when the lease was granted, or a tampered row, does not block the lease for a day.
    @Test(arguments: [
        "expires = expires + 86400000", "expires = 9223372036854775807", "expires = -9223372036854775808",
    ])
    func anAbsurdExpiryIsIgnored(_ change: String) async throws {
        let vault = try await place.create(.timed(by: clock))
        _ = try await vault.acquireLease("n", holder: "one", duration: .seconds(60))
        try await vault.connections.write { try $0.execute("UPDATE lease SET \(change)") }
        #expect(try await vault.acquireLease("n", holder: "two", duration: .seconds(60)) != nil)
    }

    @Test func tamperedHolderIsAnError() async throws {
        let vault = try await place.create(.timed(by: clock))
        _ = try await vault.acquireLease("n", holder: "one", duration: .seconds(60))
        try await vault.connections.write { try $0.execute("UPDATE lease SET holder = zeroblob(length(holder))") }
        #expect(await code { _ = try await vault.leaseHolder("n") } == .damaged)
    }
}
