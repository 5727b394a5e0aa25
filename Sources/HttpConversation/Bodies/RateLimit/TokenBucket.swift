import Synchronization

/// Permits a number of bytes per second, and a tenth of that at once.
package final class TokenBucket: Sendable {
    private struct State {
        /// The permitted bytes; negative after bytes were sent ahead of time.
        var available: Double
        var filled = Duration.zero
    }

    private let rate: Double
    private let state: Mutex<State>
    private let elapsed: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    /// The maximum size of one piece in bytes, so that a slow transfer is also even.
    package let piece: Int

    /// - Parameter bytesPerSecond: at least 1
    package init(bytesPerSecond: Int, clock: some Clock<Duration>) {
        rate = Double(max(1, bytesPerSecond))
        piece = max(1, bytesPerSecond / 10)
        state = Mutex(State(available: rate / 10))
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        sleep = { try await clock.sleep(for: $0) }
    }

    /// Waits until a number of bytes is permitted.
    ///
    /// - Throws: `CancellationError`
    package func take(_ count: Int) async throws {
        let now = elapsed()
        let missing = state.withLock { state in
            let grown = state.available + (now - state.filled) / .seconds(1) * rate
            state.available = min(grown, rate / 10) - Double(count)
            state.filled = now
            return -state.available
        }
        if missing > 0 { try await sleep(.seconds(min(missing / rate, 1e9))) }
    }
}
