internal import HttpConvConcurrency
internal import HttpConvPlatform

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
        var wait = LeaseWait(self, name, holder: holder, duration: duration, limit: waiting)
        let taken = try await LeasedWork.take(
            waitingFor: "for another process that has \"\(name)\" of the vault", atMost: waiting
        ) { () async throws(DataVaultError) in
            try await wait.request()
        } wait: { () async throws(DataVaultError) -> Void? in
            try await wait.pause() ? nil : ()
        }
        if case .lease(let lease) = taken { return lease }
        return nil
    }

    /// Runs a closure under a lease, which is extended while the closure runs, and released at its end.
    ///
    /// A holder that is suspended for longer than the duration loses the lease, and is not told. To be safe it makes
    /// its writes under the lease: they fail with `.leaseLost`.
    ///
    /// - Parameters:
    ///   - name: the lease's name
    ///   - holder: the holder's name, for others to show
    ///   - duration: how long others wait for a suspended holder
    ///   - reason: the reason that a long wait is reported with; nil: it is not reported
    ///   - look: called while the lease is held elsewhere, at first and after each write to the vault; a result ends
    ///     the wait
    ///   - work: the work under the lease
    /// - Throws: errors of the closures; ``DataVaultError``, with `.cancelled` if the task is cancelled while it waits
    public func withLease<Outcome>(
        _ name: String, holder: String, duration: Duration, waitingFor reason: String? = nil,
        until look: () async throws -> Outcome?, _ work: (DataVaultLease) async throws -> Outcome
    ) async throws -> Outcome {
        var wait = LeaseWait(self, name, holder: holder, duration: duration)
        return try await LeasedWork.run(waitingFor: reason) {
            try await wait.request()
        } wait: {
            if let outcome = try await look() { return outcome }
            _ = try await wait.pause()
            return try await look()
        } extend: { lease in
            _ = try await self.configuration.clock.pause(duration / 3)
            try await self.extend(lease, duration)
        } release: { lease in
            // If it fails, the lease expires.
            try? await self.release(lease)
        } _: {
            try await work($0)
        }
    }

    /// Extends a lease. If the vault cannot be written right now, the next extension may still be in time.
    private func extend(_ lease: DataVaultLease, _ duration: Duration) async throws(DataVaultError) {
        do { _ = try await renew(lease, duration: duration) } catch {
            if [.leaseLost, .closed, .cancelled].contains(error.code) { throw error }
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
