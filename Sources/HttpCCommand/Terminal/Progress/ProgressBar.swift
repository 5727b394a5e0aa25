import Foundation
import Synchronization

/// Shows how a transfer goes, on standard error, once it takes longer than a second.
final class ProgressBar: Sendable {
    private struct State {
        var direction: Direction?
        /// When this direction's first bytes moved: waiting for a login is no transfer.
        var start = ContinuousClock.now
        var lastDrawn: ContinuousClock.Instant?
        var isVisible = false
        var isFinished = false
    }

    enum Direction: String { case up = "↑", down = "↓" }

    private let width: Int
    private let state = Mutex(State())

    init(width: Int = ProgressBar.terminalWidth()) { self.width = width }

    /// The number of bytes so far; may be called from any thread.
    func update(_ direction: Direction, _ count: Int, of expected: Int?) {
        state.withLock { state in
            guard !state.isFinished else { return }
            let now = ContinuousClock.now
            if state.direction != direction {
                state.direction = direction
                state.start = now
            }
            let start = state.start
            guard now - start > .seconds(1), now - (state.lastDrawn ?? start) > .milliseconds(100) else { return }
            state.lastDrawn = now
            state.isVisible = true
            let line = Self.line(direction, count, of: expected, elapsed: now - start, width: width)
            _ = Posix.writeAll(2, Array("\r\u{1B}[K\(line)".utf8))
        }
    }

    /// Takes the bar away, so that something else can be printed.
    func finish() {
        state.withLock { state in
            if state.isVisible { _ = Posix.writeAll(2, Array("\r\u{1B}[K".utf8)) }
            state.isVisible = false
            state.isFinished = true
        }
    }

    /// Takes the bar away for a line of text; the next update brings it back.
    func hide() {
        state.withLock { state in
            if state.isVisible { _ = Posix.writeAll(2, Array("\r\u{1B}[K".utf8)) }
            state.isVisible = false
        }
    }

    static func line(
        _ direction: Direction, _ count: Int, of expected: Int?, elapsed: Duration, width: Int
    ) -> String {
        let seconds = max(0.001, elapsed / .seconds(1))
        let rate = "\(ByteCount.text(Int(Double(count) / seconds)))/s"
        guard let expected, expected > 0 else {
            return "\(direction.rawValue) \(ByteCount.text(count))  \(rate)  \(clock(seconds))"
        }
        let share = min(1, Double(count) / Double(expected))
        let left = share > 0 ? seconds / share - seconds : 0
        let percent = String(Int(share * 100))
        let tail = "  \(ByteCount.text(count)) of \(ByteCount.text(expected))  \(rate)  \(clock(left)) left"
        let room = max(0, min(40, width - tail.count - 10))
        let filled = Int(share * Double(room))
        let bar =
            room < 5 ? "" : " " + String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
        return "\(direction.rawValue) \(String(repeating: " ", count: 3 - percent.count))\(percent)%\(bar)\(tail)"
    }

    private static func clock(_ seconds: Double) -> String {
        let total = Int(min(seconds, 359_999))
        let rest = total % 60
        let short = "\(total / 60 % 60):\(rest < 10 ? "0" : "")\(rest)"
        return total < 3600 ? short : "\(total / 3600)h\(short)"
    }

    static func terminalWidth() -> Int {
        var size = winsize()
        return ioctl(2, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}

/// Sizes for people.
enum ByteCount {
    static func text(_ count: Int) -> String {
        let units = ["KiB", "MiB", "GiB", "TiB"]
        guard count >= 1024 else { return "\(count) B" }
        var value = Double(count) / 1024
        var unit = 0
        while value >= 1024, unit < units.count - 1 {
            value /= 1024
            unit += 1
        }
        let tenths = Int(value * 10)
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
