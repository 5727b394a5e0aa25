public import Dispatch
import Synchronization

/// Runs the jobs of a task on the calling thread, so that a fuzzer sees one thread and the same order each time, and
/// ``ThreadTime`` all of the work.
public final class InlineExecutor: TaskExecutor {
    /// The error for work that waits for something that never comes.
    public struct Stuck: Error, CustomStringConvertible {
        public var description: String { "it waits for something that never comes" }
    }

    private let jobs = Mutex<[UnownedJob]>([])
    private let arrivals = DispatchSemaphore(value: 0)

    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        jobs.withLock { $0.append(job) }
        arrivals.signal()
    }

    /// Runs all jobs that are ready, and those that become ready meanwhile.
    public func drain() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    /// Runs work to its end.
    ///
    /// - Parameter patience: the maximum time to wait for another thread
    /// - Throws: the error of the work; a ``Stuck`` if it waits for something that never comes
    public static func run<Value: Sendable>(
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
            guard executor.arrivals.wait(timeout: .now() + patience) == .success else { throw Stuck() }
        }
    }
}
