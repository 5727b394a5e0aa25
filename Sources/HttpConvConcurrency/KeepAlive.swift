/// Extends something that expires, such as a lease, while a piece of work runs.
package enum KeepAlive {
    /// Runs the work, and meanwhile extends repeatedly until an extension throws.
    ///
    /// When it returns, no extension is in progress: a late one would extend a lease that the caller releases next.
    ///
    /// - Parameter pause: waits before each extension
    package static func during<Outcome>(
        pause: @escaping @Sendable () async throws -> Void, extend: @escaping @Sendable () async throws -> Void,
        _ work: () async throws -> Outcome
    ) async throws -> Outcome {
        let extending = Task {
            while !Task.isCancelled {
                try await pause()
                try await extend()
            }
        }
        let result: Result<Outcome, any Error>
        do { result = .success(try await work()) } catch { result = .failure(error) }
        extending.cancel()
        _ = await extending.result
        return try result.get()
    }
}
