/// Keeps up what would end by itself, such as a lease, while a piece of work goes on.
package enum KeepAlive {
    /// Does the work, and meanwhile extends again and again, until an extension throws.
    ///
    /// When this ends no extension is on its way: it would make what is given back next last again.
    ///
    /// - Parameter pause: what stands before each extension
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
