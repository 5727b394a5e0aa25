import Synchronization

/// The requests that are under way, so that relays can end when they are idle, or finish the open requests first.
package final class RelayActivity: Sendable {
    private struct State {
        var running = 0
        var lastEnd = ContinuousClock.now
        var isFinishing = false
        var finished: AsyncStream<Never>.Continuation?
    }

    private let state = Mutex(State())

    package init() {}

    /// Whether connections take no further request.
    var isFinishing: Bool { state.withLock(\.isFinishing) }

    func begin() { state.withLock { $0.running += 1 } }

    func end() {
        let finished = state.withLock { state in
            state.running -= 1
            state.lastEnd = .now
            return state.running == 0 ? state.finished : nil
        }
        finished?.finish()
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

    /// Returns when the open requests have ended, at most after a time.
    func finish(within limit: Duration) async {
        let (stream, continuation) = AsyncStream<Never>.makeStream()
        let isDone = state.withLock { state in
            state.isFinishing = true
            state.finished = continuation
            return state.running == 0
        }
        guard !isDone, limit > .zero else { return }
        let timer = Task {
            try? await Task.sleep(for: limit)
            continuation.finish()
        }
        for await _ in stream {}
        timer.cancel()
    }
}
