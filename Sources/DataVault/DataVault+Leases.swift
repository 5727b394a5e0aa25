internal import Foundation

extension DataVault {
    /// The longest time for which a lease is given: one hour. It can be renewed.
    public static let maximumLeaseDuration = Duration.seconds(3600)

    /// Takes a lease, waiting for it where somebody has it; nil where the waiting was in vain.
    ///
    /// - Parameters:
    ///   - holder: what the holder wants to be called; told to others, stored encrypted.
    ///   - duration: at most ``maximumLeaseDuration``.
    ///   - waiting: how long to wait; zero asks once.
    /// - Throws: `.cancelled` when the task is cancelled, …
    public func acquireLease(
        _ name: String, holder: String, duration: Duration, waiting: Duration = .zero
    ) async throws(DataVaultError) -> DataVaultLease? {
        let start = options.clock.now()
        // Time slept counts as well as time gone by: a clock that is set back does not make the waiting longer.
        var slept = Duration.zero
        var pause = Duration.milliseconds(10)
        while true {
            let lease = try await writing { try $0.acquireLease(name, holder: holder, duration: duration) }
            if let lease { return lease }
            let gone = Duration.seconds(max(0, options.clock.now().timeIntervalSince(start)))
            let left = waiting - max(slept, gone)
            guard left > .zero else { return nil }
            // Not all in step: up to a half more or less.
            slept += try await options.clock.pause(min(left, pause * Double.random(in: 0.5...1.5)))
            pause = min(pause * 2, .milliseconds(250))
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
