internal import Foundation
internal import HttpConvConcurrency

extension DataVault {
    /// The longest time for which a lease is given: one hour. It can be renewed.
    public static let maximumLeaseDuration = Duration.seconds(3600)

    /// Takes a lease, waiting for it where somebody has it; nil where the waiting was in vain.
    ///
    /// Who waits only looks whether anything was written to the vault, the holder's process has ended or its time is up,
    /// ten times a second after a while, and asks again when it was.
    ///
    /// - Parameters:
    ///   - name: what is leased
    ///   - holder: what the holder wants to be called; told to others, stored encrypted.
    ///   - duration: at most ``maximumLeaseDuration``.
    ///   - waiting: how long to wait; zero asks once.
    /// - Throws: `.cancelled` when the task is cancelled, …
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

    /// Does something under a lease that lasts for as long as it takes, and is given back at its end.
    /// A holder that is stopped for longer than the duration loses the lease to somebody else. It is not told, and goes on
    /// when it can: what it must not do then it does under the lease, which is refused with `.leaseLost`.
    ///
    /// - Parameters:
    ///   - duration: how long others wait for a holder that is stopped
    ///   - waits: called once, where somebody else has the lease
    ///   - look: asked whenever something was written to the vault while somebody else has the lease; an outcome ends the
    ///     wait
    /// - Throws: what the closures throw; ``DataVaultError``, `.cancelled` where the task is cancelled while it waits
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
        // In a task of its own: the database refuses what a cancelled task asks of it. What fails here ends by itself.
        await Task { try? await release(lease) }.value
        return try result.get()
    }

    /// Where the vault cannot be written at the moment, the next extension may come in time.
    private func extend(_ lease: DataVaultLease, _ duration: Duration) async throws(DataVaultError) {
        do { _ = try await renew(lease, duration: duration) } catch {
            if [.leaseLost, .closed, .cancelled].contains(error.code) { throw error }
        }
    }

    /// A lease, or what stands in its way.
    package func requestLease(
        _ name: String, holder: String, duration: Duration
    ) async throws(DataVaultError) -> (DataVaultLease?, LeaseObstacle?) {
        let stamp = changeStamp
        switch try await writing({ try $0.requestLease(name, holder: holder, duration: duration) }) {
        case .granted(let lease): return (lease, nil)
        case .held(let token, let expires): return (nil, LeaseObstacle(token: token, expires: expires, stamp: stamp))
        }
    }

    /// Makes a lease last for a duration from now, unless it was given back or a newer one was given out (`.leaseLost`).
    public func renew(_ lease: DataVaultLease, duration: Duration) async throws(DataVaultError) -> DataVaultLease {
        try await writing { try $0.renew(lease, duration: duration) }
    }

    /// Gives a lease back; does nothing where a newer one was given out.
    public func release(_ lease: DataVaultLease) async throws(DataVaultError) {
        // Also where the record cannot be written: without its lock the lease is free.
        defer { leaseLocks.abandon(lease.token) }
        try await writing { try $0.release(lease) }
    }

    /// Who has a lease; nil where nobody has.
    public func leaseHolder(_ name: String) async throws(DataVaultError) -> DataVaultLeaseHolder? {
        try await reading { try $0.leaseHolder(name) }
    }
}
