import HttpConvPlatform
import HttpConvVault

extension DataVault {
    /// Runs work under a lease by which processes take turns. Others wait ten seconds for a process that was stopped
    /// while it has the lease. Without a place for the lease, the work is done without it.
    ///
    /// - Parameters:
    ///   - waiting: called once, if another process has the lease
    ///   - look: called while another process has the lease; a result ends the wait
    ///   - warn: called if the file system is full or read-only
    ///   - work: gets the lease; nil: there is no place for it
    /// - Throws: errors of the closures; a `CommandFailure`, or `CancellationError`, for those of the vault
    func withProcessLease<Outcome>(
        _ name: String, waiting: () -> Void, until look: () async throws -> Outcome? = { nil },
        withoutPlace warn: (DataVaultError) -> Void, _ work: (DataVaultLease?) async throws -> Outcome
    ) async throws -> Outcome {
        var isReported = false
        var hasBegun = false
        do {
            return try await withLease(
                name, holder: "process \(getpid())", duration: .seconds(10),
                until: {
                    if !isReported { waiting() }
                    isReported = true
                    return try await look()
                },
                { lease in
                    hasBegun = true
                    return try await work(lease)
                })
        } catch let error as DataVaultError {
            if error.code == .cancelled { throw CancellationError() }
            guard error.isNoPlace, !hasBegun else { throw StateFailure.failure(error) }
            warn(error)
        }
        return try await work(nil)
    }
}
