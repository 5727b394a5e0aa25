/// Runs an operation with a time limit on an injected clock.
package enum Deadline {
    /// The result of `operation`, or nil if the limit passed first. The slower one is cancelled.
    package static func race<Value: Sendable>(
        _ limit: Duration, clock: any Clock<Duration>, _ operation: @escaping @Sendable () async -> Value
    ) async -> Value? {
        await withTaskGroup(of: Value?.self) { group in
            group.addTask { await operation() }
            group.addTask {
                try? await clock.sleep(for: limit)
                return nil
            }
            let first = await group.next() ?? nil
            group.cancelAll()
            return first
        }
    }

    /// Returns when the task has ended or the limit has passed. The task continues in either case.
    package static func wait(for task: Task<Void, Never>, _ limit: Duration, clock: any Clock<Duration> & Sendable)
        async
    {
        let (ended, continuation) = AsyncStream<Void>.makeStream()
        let watcher = Task {
            await task.value
            continuation.finish()
        }
        let timer = Task {
            try? await clock.sleep(for: limit)
            continuation.finish()
        }
        for await _ in ended {}
        timer.cancel()
        watcher.cancel()
    }
}
