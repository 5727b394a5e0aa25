/// Work under a lease: an exclusive right that expires unless it is extended.
package enum LeasedWork {
    /// The end of a wait for a lease.
    package enum Taken<Lease, Outcome> {
        /// The lease was granted.
        case lease(Lease)
        /// The wait ended without it.
        case outcome(Outcome)
    }

    /// Takes a lease, runs the work while extending the lease, and releases it.
    ///
    /// - Parameters:
    ///   - reason: the reason that a long wait is reported with; nil: the wait is not reported
    ///   - request: requests the lease; nil if another holder has it
    ///   - wait: waits between two requests; a result ends the wait
    ///   - extend: waits for a moment, then extends the lease
    ///   - release: releases the lease, whether the work succeeded or not
    package static func run<Lease: Sendable, Outcome>(
        waitingFor reason: String?, request: () async throws -> Lease?, wait: () async throws -> Outcome?,
        extend: @escaping @Sendable (Lease) async throws -> Void, release: @escaping @Sendable (Lease) async -> Void,
        _ work: (Lease) async throws -> Outcome
    ) async throws -> Outcome {
        switch try await take(waitingFor: reason, request, wait: wait) {
        case .outcome(let outcome): outcome
        case .lease(let lease):
            try await keep {
                try await extend(lease)
            } release: {
                await release(lease)
            } _: {
                try await work(lease)
            }
        }
    }

    /// Requests a lease until it is granted, or until a wait between two requests has a result.
    package static func take<Lease, Outcome, Failure: Error>(
        waitingFor reason: String?, atMost limit: Duration? = nil, _ request: () async throws(Failure) -> Lease?,
        wait: () async throws(Failure) -> Outcome?
    ) async throws(Failure) -> Taken<Lease, Outcome> {
        var notice = Waiting.Notice()
        defer { notice.end() }
        while true {
            if let lease = try await request() { return .lease(lease) }
            if let reason { notice.begin(reason, atMost: limit) }
            if let outcome = try await wait() { return .outcome(outcome) }
        }
    }

    /// Runs the work, and meanwhile extends repeatedly until an extension throws. Releases at the end.
    ///
    /// - Parameter extend: waits for a moment, then extends
    package static func keep<Outcome>(
        extending extend: @escaping @Sendable () async throws -> Void,
        release: @escaping @Sendable () async -> Void = {},
        _ work: () async throws -> Outcome
    ) async throws -> Outcome {
        let extending = Task { while !Task.isCancelled { try await extend() } }
        let result: Result<Outcome, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        extending.cancel()
        // A late extension would revive the lease after its release.
        _ = await extending.result
        // In a task of its own, because this one may be cancelled.
        await Task { await release() }.value
        return try result.get()
    }
}
