import Synchronization

/// The requests that are under way, so that a relay can end when it is idle.
final class RelayActivity: Sendable {
    private struct State {
        var running = 0
        var lastEnd = ContinuousClock.now
    }

    private let state = Mutex(State())

    func begin() { state.withLock { $0.running += 1 } }

    func end() {
        state.withLock { state in
            state.running -= 1
            state.lastEnd = .now
        }
    }

    /// Returns when there has been no request for a time, or when the task is cancelled.
    func waitUntilIdle(for limit: Duration) async {
        while let rest = remaining(of: limit), rest > .zero {
            do { try await Task.sleep(for: rest) } catch { return }
        }
    }

    private func remaining(of limit: Duration) -> Duration? {
        state.withLock { $0.running > 0 ? limit : $0.lastEnd + limit - .now }
    }
}
