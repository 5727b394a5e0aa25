internal import Dispatch

/// Work that blocks a thread for long (scrypt, files), kept off the cooperative thread pool.
package enum Blocking {
    /// Runs `body` on a thread that may be blocked. It runs to its end, also where the task is cancelled.
    package static func run<T: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let result: Result<T, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }
}
