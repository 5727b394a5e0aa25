internal import Foundation

/// The pauses of a waiter for a lease: growing to a tenth of a second, and randomised so that waiters do not collide.
struct LeaseWait: Sendable {
    private let clock: DataVaultClock
    private let limit: Duration?
    private let start: Date
    private var slept = Duration.zero
    private var next = Duration.milliseconds(10)

    /// - Parameter limit: the timeout; nil for as long as the task runs
    init(clock: DataVaultClock, limit: Duration? = nil) {
        self.clock = clock
        self.limit = limit
        start = clock.now()
    }

    /// Sleeps for a moment; returns false on timeout.
    mutating func pause() async throws(DataVaultError) -> Bool {
        // Time slept counts as well as time passed: a clock that is set back does not prolong the wait.
        let gone = Duration.seconds(max(0, clock.now().timeIntervalSince(start)))
        let left = limit.map { $0 - max(slept, gone) } ?? next * 2
        guard left > .zero else { return false }
        slept += try await clock.pause(min(left, next * Double.random(in: 0.5...1.5)))
        next = min(next * 2, .milliseconds(100))
        return true
    }
}
