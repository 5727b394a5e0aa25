import Dispatch

/// Runs the scripts of a server on a thread beside those of Swift's tasks. So it goes on while tests compute there, and no
/// client takes it for dead.
package final class ServerExecutor: TaskExecutor {
    private let queue = DispatchQueue(label: "raw server")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { [self] in job.runSynchronously(on: asUnownedTaskExecutor()) }
    }
}
