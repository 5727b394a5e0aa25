/// Runs something with a time limit on an injected clock.
enum Deadline {
    /// The result of `operation`, or nil where the limit came first; the loser is cancelled.
    static func race<Value: Sendable>(
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
}
