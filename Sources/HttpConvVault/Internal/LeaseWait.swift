internal import HttpConvConcurrency
internal import HttpConvPlatform

/// The requests for a lease, and the pauses between them: growing to a tenth of a second, and randomised so that
/// waiters do not collide.
struct LeaseWait: Sendable {
    private let vault: DataVault
    private let name: String
    private let holder: String
    private let duration: Duration
    private let limit: Duration?
    private let start: Date
    private var slept = Duration.zero
    private var next = Duration.milliseconds(10)
    private var obstacle: Obstacle?

    /// The state of a held lease when it was requested. Until it changes, a new request would fail. Checking it costs a
    /// few system calls, while a request takes the write lock.
    private struct Obstacle {
        let token: Int64
        /// The lease's expiry, in milliseconds since 1970.
        let expires: Int64
        /// The vault's change stamp before the request.
        let stamp: Int64?
    }

    /// - Parameter limit: the timeout; nil for as long as the task runs
    init(_ vault: DataVault, _ name: String, holder: String, duration: Duration, limit: Duration? = nil) {
        (self.vault, self.name, self.holder, self.duration, self.limit) = (vault, name, holder, duration, limit)
        start = vault.configuration.clock.date
    }

    /// Requests the lease without waiting; nil if it is held.
    mutating func request() async throws(DataVaultError) -> DataVaultLease? {
        let stamp = vault.changeStamp
        let answer = try await vault.writing { [name, holder, duration] in
            try $0.requestLease(name, holder: holder, duration: duration)
        }
        switch answer {
        case .granted(let lease): return lease
        case .held(let token, let expires): obstacle = Obstacle(token: token, expires: expires, stamp: stamp)
        }
        return nil
    }

    /// Sleeps until another request may succeed; returns false on timeout.
    mutating func pause() async throws(DataVaultError) -> Bool {
        repeat {
            // Time slept counts as well as time passed: a clock that is set back does not prolong the wait.
            let clock = vault.configuration.clock
            let gone = Duration.seconds(max(0, clock.date.timeIntervalSince(start)))
            let left = limit.map { $0 - max(slept, gone) } ?? next * 2
            guard left > .zero else { return false }
            slept += try await clock.pause(min(left, next * Double.random(in: 0.5...1.5)))
            next = min(next * 2, .milliseconds(100))
        } while isHeld
        return true
    }

    /// Whether the lease is still held: its holder is alive, it has not expired, and nothing was written since.
    private var isHeld: Bool {
        guard let obstacle, let stamp = obstacle.stamp, stamp == vault.changeStamp else { return false }
        return vault.isHeld(obstacle.token, until: obstacle.expires)
    }
}

extension WallClock {
    /// Milliseconds since 1970, clamped to the range that can be stored.
    var milliseconds: Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        return value.isFinite ? Int64(max(-1e15, min(1e15, value))) : 0
    }

    /// Sleeps and returns the time slept; throws `.cancelled`.
    func pause(_ time: Duration) async throws(DataVaultError) -> Duration {
        do {
            try await sleep(for: time)
        } catch {
            throw DataVaultError(.cancelled, "The task was cancelled; nothing was changed.")
        }
        return time
    }
}
