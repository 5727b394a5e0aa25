import Dispatch
import Synchronization

/// Runs the jobs of a task on the calling thread, so that a fuzzer sees one thread and the same order each time.
final class InlineExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    /// Runs all jobs that are ready, and those that become ready meanwhile.
    func drain() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs work to its end.
    ///
    /// - Parameter patience: the maximum time to wait for another thread
    /// - Throws: the error of the work; a ``BrokenProperty`` if it waits for something that never comes
    static func run<Value: Sendable>(
        patience: DispatchTimeInterval = .seconds(10), _ work: @escaping @Sendable () async throws -> Value
    ) throws -> Value {
        let executor = InlineExecutor()
        let result = Mutex<Result<Value, any Error>?>(nil)
        _ = Task(executorPreference: executor) {
            let outcome: Result<Value, any Error>
            do { outcome = .success(try await work()) } catch { outcome = .failure(error) }
            result.withLock { $0 = outcome }
        }
        while true {
            executor.drain()
            if let outcome = result.withLock({ $0 }) { return try outcome.get() }
            guard executor.arrivals.wait(timeout: .now() + patience) == .success else {
                throw BrokenProperty("it waits for something that never comes")
            }
        }
    }
}
