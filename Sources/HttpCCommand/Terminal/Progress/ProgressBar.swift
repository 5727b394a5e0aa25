import Dispatch
import Foundation
import Synchronization

/// Shows how transfers go, on standard error, once they take longer than a second: one line for all of them, which fits the
/// terminal also when that changes its size, and a line of summary in its place at the end.
final class ProgressBar: Sendable {
    enum Direction { case up, down }

    private struct State {
        var tally: TransferTally
        /// When the first bytes moved: waiting for a login is no transfer.
        var start: Duration?
        var lastDrawn: Duration?
        /// The columns of what is there now; 0: nothing.
        var shown = 0
        /// Whether there was a bar at any time.
        var wasShown = false
        /// Somebody writes to the terminal.
        var isPaused = false
        var isFinished = false
    }

    private let screen: ProgressScreen
    private let elapsed: @Sendable () -> Duration
    private let state: Mutex<State>
    /// Tells of another size of the terminal. Only ever resumed and cancelled, which may be done from any thread.
    nonisolated(unsafe) private let resizing: any DispatchSourceSignal

    init(
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

    /// The number of bytes so far; may be called from any thread.
    func update(_ transfer: Int, _ direction: Direction, _ count: Int, of expected: Int?) {
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

    /// What a transfer writes to.
    func name(_ transfer: Int, _ path: String) {
        state.withLock { $0.tally.name = URL(filePath: path).lastPathComponent }
    }

    /// A transfer is over, one way or another.
    func ended(_ transfer: Int) { state.withLock { $0.tally.end(transfer) } }

    /// Draws it anew where it is there: the terminal has another size.
    func redraw() {
        state.withLock { state in if state.shown > 0, !state.isFinished { draw(&state, elapsed()) } }
    }

    /// Takes the bar away for good.
    ///
    /// - Parameter isComplete: whether a line of summary takes its place, where there was a bar
    func finish(isComplete: Bool) {
        state.withLock { state in
            guard !state.isFinished else { return }
            state.isFinished = true
            erase(&state)
            guard isComplete, state.wasShown, let start = state.start else { return }
            screen.beginLine()
            screen.write(line.summary(state.tally, elapsed: elapsed() - start) + "\n")
        }
    }

    /// Takes the bar away for a line of text; the next update brings it back.
    func hide() { state.withLock { erase(&$0) } }

    /// Takes the bar away until `resume`: what is written to the terminal meanwhile may end within a line.
    func pause() {
        state.withLock { state in
            state.isPaused = true
            erase(&state)
        }
    }

    func resume() { state.withLock { $0.isPaused = false } }

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
        // In a terminal that has become narrower, the line has gone on in others below its first.
        let below = (state.shown - 1) / max(1, screen.width())
        screen.write("\r" + (below > 0 ? "\u{1B}[\(below)A" : "") + "\u{1B}[J")
        state.shown = 0
    }
}
