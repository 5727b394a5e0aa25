import Synchronization

/// Refreshes that are on the wire, which nobody's leaving calls off.
///
/// A flight whose last waiter left is over for the board of flights, and the next conversation begins another; it meets
/// the running refresh here and never sends the same refresh token a second time.
final class RunningRefreshes: Sendable {
    typealias Refresh = Task<OAuth2Tokens?, any Error>

    private let running = Mutex<[OAuth2TokenKey: Refresh]>([:])

    /// The outcome of the refresh for a key: of the one that runs, else of a new one.
    func run(
        _ key: OAuth2TokenKey, _ refresh: @escaping @Sendable () async throws -> OAuth2Tokens?
    ) async throws -> OAuth2Tokens? {
        let task = running.withLock { running in
            if let task = running[key] { return task }
            let task = Refresh {
                defer { self.running.withLock { $0[key] = nil } }
                return try await refresh()
            }
            running[key] = task
            return task
        }
        return try await task.value
    }
}
