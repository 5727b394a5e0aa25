internal import Dispatch

/// Runs work that blocks a thread for long (scrypt, files, signatures) outside the cooperative thread pool.
package enum Blocking {
    /// Runs `body` on a thread that may block. Within ``compute(_:)`` that is the current thread. It runs to its end,
    /// even if the task is cancelled.
    package static func run<T: Sendable, Failure: Error>(
        _ body: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        if withUnsafeCurrentTask(body: { $0?.unownedTaskExecutor }) == BlockingThreads.shared.asUnownedTaskExecutor() {
            return try body()
        }
        let result: Result<T, Failure> = await withCheckedContinuation { continuation in
            DispatchQueue.global(qos: .userInitiated).async { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Runs asynchronous work on threads that may block.
    package static func compute<T, Failure: Error>(
        _ body: () async throws(Failure) -> T
    ) async throws(Failure) -> T {
        try await withTaskExecutorPreference(BlockingThreads.shared) { () async throws(Failure) in try await body() }
    }
}

/// The threads of Dispatch as an executor.
private final class BlockingThreads: TaskExecutor {
    static let shared = BlockingThreads()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        DispatchQueue.global(qos: .userInitiated).async {
            job.runSynchronously(on: self.asUnownedTaskExecutor())
        }
    }
}
