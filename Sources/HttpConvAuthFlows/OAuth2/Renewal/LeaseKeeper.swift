import HttpConvConcurrency
import HttpConversation

/// Holds a storage's lease while some work runs.
struct LeaseKeeper: Sendable {
    let storage: any OAuth2TokenStorage
    let clock: any Clock<Duration> & Sendable
    let duration: Duration

    /// Runs the work under the lease, or without one if the storage needs none.
    ///
    /// - Parameter look: called while another holder has the lease; a result ends the wait
    func hold<Outcome: Sendable>(
        _ key: OAuth2TokenKey, until look: @Sendable () async throws -> Outcome?,
        _ work: @escaping @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        var notice = Waiting.Notice()
        while true {
            switch try await storage.acquireLease(for: key, duration: duration) {
            case .notNeeded: return try await work(nil)
            case .granted(let lease):
                notice.end()
                return try await keep(lease, work)
            case .busy(let wait):
                notice.begin("for another process that gets tokens of \(key)")
                try await clock.sleep(for: wait)
                if let outcome = try await look() { return outcome }
            }
        }
    }

    /// Extends the lease while the work runs. A lost lease is noticed when the work writes.
    private func keep<Outcome: Sendable>(
        _ lease: OAuth2Lease, _ work: @escaping @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        let result: Result<Outcome, any Error>
        do {
            result = .success(
                try await KeepAlive.during {
                    [clock, duration] in
                    try await clock.sleep(for: duration / 3)
                } extend: { [storage] in
                    try await storage.extendLease(lease)
                } _: {
                    try await work(lease)
                })
        } catch {
            result = .failure(error)
        }
        await storage.releaseLease(lease)
        return try result.get()
    }
}
