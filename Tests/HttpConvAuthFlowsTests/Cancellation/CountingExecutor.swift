import Dispatch
import Synchronization

/// Runs the parts of a task between its awaits, counts them, and may cancel the task at one of them. Work that the task
/// shares with others runs in tasks of its own: its exchanges are counted, too.
final class CountingExecutor: TaskExecutor {
    private struct State {
        var count = 0
        var task: Task<Void, any Error>?
        var isRunning = false
        var isOver = false
    }

    private let state = Mutex(State())
    private let last: Int
    private let queue = DispatchQueue(label: "counted parts", attributes: .concurrent)

    /// - Parameter last: the number of the part before which the task is cancelled, from 1
    init(cancellingAt last: Int = .max) { self.last = last }

    /// The parts and exchanges so far. Each part but the first follows an await that has suspended.
    var count: Int { state.withLock { $0.count } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        note()
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }

    /// Counts a part or an exchange that begins or ends.
    func note() {
        let task = state.withLock { state -> Task<Void, any Error>? in
            guard state.isRunning else { return nil }
            state.count += 1
            if state.count == last { state.isOver = true }
            return state.count == last ? state.task : nil
        }
        task?.cancel()
    }

    /// Runs work in a task of its own, with all tasks below it.
    func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        state.withLock { $0.isRunning = true }
        defer { state.withLock { $0.isRunning = false } }
        let task = Task(executorPreference: self) { try await work() }
        let isOver = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isOver { task.cancel() }
        try await task.value
    }
}
