import HttpC
import HttpConvPlatform
import HttpConvSystem
import Synchronization

/// Shows on standard error, on a terminal, that the command waits.
package final class Spinner: Sendable {
    private struct State {
        var drawing: Task<Void, Never>?
        var isVisible = false
    }

    private static let frames =
        ProgressScreen.isUnicode(ProcessInfo.processInfo.environment)
        ? ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] : ["|", "/", "-", "\\"]
    private let state = Mutex(State())

    /// Draws until it is stopped.
    ///
    /// - Parameters:
    ///   - text: our own words
    ///   - limit: the time limit, whose rest is shown; nil for none
    package func start(_ text: String, limit: Duration? = nil) {
        let start = ContinuousClock.now
        TerminalPrompter.setTemporaryLineRemover { [weak self] in self?.hide() }
        let drawing = Task { [self] in
            var frame = 0
            while !Task.isCancelled {
                let left = limit.map { ", \(Self.clock(max(.zero, $0 - (ContinuousClock.now - start)))) left" } ?? ""
                draw("\(Self.frames[frame % Self.frames.count]) \(text)\(left)")
                frame += 1
                try? await Task.sleep(for: .milliseconds(120))
            }
        }
        let previous = state.withLock { state in
            defer { state.drawing = drawing }
            return state.drawing
        }
        previous?.cancel()
    }

    /// Removes the spinner for good.
    package func stop() {
        let drawing = state.withLock { state in
            Self.erase(&state)
            defer { state.drawing = nil }
            return state.drawing
        }
        drawing?.cancel()
    }

    /// Removes the spinner for a line of text; it comes back by itself.
    func hide() { state.withLock { Self.erase(&$0) } }

    private func draw(_ line: String) {
        let width = TerminalSize.current().columns
        state.withLock { state in
            // The spinner may have been stopped meanwhile.
            guard state.drawing != nil, !Task.isCancelled, !TerminalPrompter.isAsking else { return }
            state.isVisible = true
            _ = SystemCalls.writeAll(2, Array("\r\u{1B}[K\(line.prefix(width - 1))".utf8))
        }
    }

    private static func erase(_ state: inout State) {
        if state.isVisible { _ = SystemCalls.writeAll(2, Array("\r\u{1B}[K".utf8)) }
        state.isVisible = false
    }

    static func clock(_ duration: Duration) -> String {
        let seconds = duration.components.seconds
        return "\(seconds / 60):\(seconds % 60 < 10 ? "0" : "")\(seconds % 60)"
    }
}
