import Dispatch
import HttpConvPlatform
import Synchronization

/// A progress bar on standard error, for transfers that take longer than a second. One line shows all of them. It
/// always fits the terminal, whose size may change, and a summary replaces it at the end.
package final class ProgressBar: Sendable {
    package enum Direction { case up, down }

    private struct State {
        var tally: TransferTally
        /// The time of the first byte: waiting for a login does not count.
        var start: Duration?
        var lastDrawn: Duration?
        /// The columns of the visible line; 0 for none.
        var shown = 0
        /// Whether there was a bar at any time.
        var wasShown = false
        /// Whether other text is being written to the terminal.
        var isPaused = false
        var isFinished = false
    }

    private let screen: ProgressScreen
    private let elapsed: @Sendable () -> Duration
    private let state: Mutex<State>
    /// Reports changes of the terminal's size. Only resumed and cancelled, which is safe on any thread.
    nonisolated(unsafe) private let resizing: any DispatchSourceSignal

    package init(
        transfers: Int, screen: ProgressScreen = .standardError(),
        clock: some Clock<Duration> = ContinuousClock()
    ) {
        self.screen = screen
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
        state = Mutex(State(tally: TransferTally(transfers: transfers)))
        resizing = DispatchSource.makeSignalSource(signal: SIGWINCH, queue: DispatchQueue(label: "progress"))
        resizing.setEventHandler { [weak self] in self?.redraw() }
        resizing.resume()
    }

    deinit { resizing.cancel() }

    /// Sets a transfer's number of bytes so far. Callable from any thread.
    package func update(_ transfer: Int, _ direction: Direction, _ count: Int, of expected: Int?) {
        state.withLock { state in
            guard !state.isFinished else { return }
            let now = elapsed()
            state.tally.update(transfer, direction, count, of: expected, at: now)
            let start = state.start ?? now
            state.start = start
            guard !state.isPaused, now - start > .seconds(1),
                now - (state.lastDrawn ?? start) > .milliseconds(100)
            else { return }
            draw(&state, now)
        }
    }

    /// Sets the name of the file that the bar shows.
    package func name(_ path: String) {
        state.withLock { $0.tally.name = URL(exactPath: path).lastPathComponent }
    }

    /// Counts a transfer as ended, for any reason.
    package func ended(_ transfer: Int) { state.withLock { $0.tally.end(transfer) } }

    /// Draws a visible bar again, because the terminal's size has changed.
    func redraw() {
        state.withLock { state in if state.shown > 0, !state.isFinished { draw(&state, elapsed()) } }
    }

    /// Removes the bar for good.
    ///
    /// - Parameter isComplete: whether a summary replaces a bar that was shown
    package func finish(isComplete: Bool) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            erase(&state)
            guard isComplete, state.wasShown, let start = state.start else { return }
            screen.beginLine()
            screen.write(line.summary(state.tally, elapsed: elapsed() - start) + "\n")
        }
    }

    /// Removes the bar for a line of text; the next update draws it again.
    func hide() { state.withLock { erase(&$0) } }

    /// Removes the bar until `resume`: text that is written meanwhile may end within a line.
    package func pause() {
        state.withLock { state in
            state.isPaused = true
            erase(&state)
        }
    }

    package func resume() { state.withLock { $0.isPaused = false } }

    private var line: ProgressLine { ProgressLine(width: screen.width(), isUnicode: screen.isUnicode) }

    private func draw(_ state: inout State, _ now: Duration) {
        let text = line.running(state.tally, elapsed: now - (state.start ?? now))
        erase(&state)
        screen.beginLine()
        screen.write(text)
        state.shown = ProgressLine.columns(of: text)
        state.wasShown = true
        state.lastDrawn = now
    }

    private func erase(_ state: inout State) {
        guard state.shown > 0 else { return }
        // In a terminal that has become narrower, the line continues in rows below its first.
        let below = (state.shown - 1) / max(1, screen.width())
        screen.write("\r" + (below > 0 ? "\u{1B}[\(below)A" : "") + "\u{1B}[J")
        state.shown = 0
    }
}
