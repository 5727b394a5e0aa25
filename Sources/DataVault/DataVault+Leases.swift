internal import Foundation
internal import HttpConvConcurrency

extension DataVault {
    /// The longest duration of a lease: one hour. It can be renewed.
    public static let maximumLeaseDuration = Duration.seconds(3600)

    /// Takes a lease, waiting for its holder. Returns nil on timeout.
    ///
    /// Waiters poll, at intervals that grow to a tenth of a second, whether anything was written to the vault, the
    /// holder's process has ended or the lease has expired. Only then they request the lease again.
    ///
    /// - Parameters:
    ///   - name: the name of the lease
    ///   - holder: the name of the holder, shown to others, stored encrypted.
    ///   - duration: at most ``maximumLeaseDuration``.
    ///   - waiting: the timeout; zero asks once.
    /// - Throws: `.cancelled` if the task is cancelled, …
    public func acquireLease(
        _ name: String, holder: String, duration: Duration, waiting: Duration = .zero
    ) async throws(DataVaultError) -> DataVaultLease? {
        var wait = LeaseWait(clock: options.clock, limit: waiting)
        var notice = Waiting.Notice()
        defer { notice.end() }
        while true {
            let (lease, obstacle) = try await requestLease(name, holder: holder, duration: duration)
            guard let obstacle else { return lease }
            notice.begin("for another process that has \"\(name)\" of the vault", atMost: waiting)
            repeat { guard try await wait.pause() else { return nil } } while isInTheWay(obstacle)
        }
    }

    /// Runs a closure under a lease, which is extended while the closure runs, and released at its end.
    ///
    /// A holder that is suspended for longer than the duration loses the lease, and is not told. To be safe it makes
    /// its writes under the lease: they fail with `.leaseLost`.
    ///
    /// - Parameters:
    ///   - duration: how long others wait for a suspended holder
    ///   - waits: called once, if the lease is held elsewhere
    ///   - look: called after each write to the vault while the lease is held elsewhere; a result ends the wait
    /// - Throws: errors of the closures; ``DataVaultError``, with `.cancelled` if the task is cancelled while it waits
    package func withLease<Outcome>(
        _ name: String, holder: String, duration: Duration, waits: () -> Void, until look: () async throws -> Outcome?,
        _ work: (DataVaultLease) async throws -> Outcome
    ) async throws -> Outcome {
        var wait: LeaseWait?
        while true {
            let (lease, obstacle) = try await requestLease(name, holder: holder, duration: duration)
            if let lease { return try await keeping(lease, duration, work) }
            if wait == nil { waits() }
            if let outcome = try await look() { return outcome }
            var pauses = wait ?? LeaseWait(clock: options.clock)
            repeat { _ = try await pauses.pause() } while obstacle.map(isInTheWay) ?? false
            wait = pauses
        }
    }

    private func keeping<Outcome>(
        _ lease: DataVaultLease, _ duration: Duration, _ work: (DataVaultLease) async throws -> Outcome
    ) async throws -> Outcome {
        let result: Result<Outcome, any Error>
        do {
            result = .success(
                try await KeepAlive.during { [options] in
                    _ = try await options.clock.pause(duration / 3)
                } extend: {
                    try await self.extend(lease, duration)
                } _: {
                    try await work(lease)
                })
        } catch {
            result = .failure(error)
        }
        // Runs in a separate task: the database refuses a cancelled task. If it fails, the lease expires.
        await Task { try? await release(lease) }.value
        return try result.get()
    }

    /// Extends a lease. If the vault cannot be written right now, the next extension may still be in time.
    private func extend(_ lease: DataVaultLease, _ duration: Duration) async throws(DataVaultError) {
        do { _ = try await renew(lease, duration: duration) } catch {
            if [.leaseLost, .closed, .cancelled].contains(error.code) { throw error }
        }
    }

    /// Requests a lease without waiting; returns the lease or the obstacle.
    package func requestLease(
        _ name: String, holder: String, duration: Duration
    ) async throws(DataVaultError) -> (DataVaultLease?, LeaseObstacle?) {
        let stamp = changeStamp
        switch try await writing({ try $0.requestLease(name, holder: holder, duration: duration) }) {
        case .granted(let lease): return (lease, nil)
        case .held(let token, let expires): return (nil, LeaseObstacle(token: token, expires: expires, stamp: stamp))
        }
    }

    /// Extends a lease to a duration from now. Throws `.leaseLost` if it was released, or a newer one was granted.
    public func renew(_ lease: DataVaultLease, duration: Duration) async throws(DataVaultError) -> DataVaultLease {
        try await writing { try $0.renew(lease, duration: duration) }
    }

    /// Releases a lease; does nothing if a newer one was granted.
    public func release(_ lease: DataVaultLease) async throws(DataVaultError) {
        // Drop the lock even if the record cannot be written: without its lock the lease is free.
        defer { leaseLocks.abandon(lease.token) }
        try await writing { try $0.release(lease) }
    }

    /// The holder of a lease; nil if it is free.
    public func leaseHolder(_ name: String) async throws(DataVaultError) -> DataVaultLeaseHolder? {
        try await reading { try $0.leaseHolder(name) }
    }
}
