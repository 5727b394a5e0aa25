import Dispatch

/// Runs the tasks of a server on a thread beside those of Swift's tasks. So the server answers while tests compute there,
/// and no client takes it for dead.
final class ServerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "landscape")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
