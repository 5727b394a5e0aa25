import Foundation
import HttpC

/// Waits between stories if a person is there to read them.
enum DemoPager {
    /// Whether the person wants to see the remaining scenes.
    static func goesOn(after scene: DemoScene, rest: ArraySlice<DemoScene>) async -> Bool {
        guard scene.isStory, let next = rest.first, next.isStory, isatty(0) != 0, isatty(1) != 0 else { return true }
        let answer = try? await TerminalPrompter(onInterrupt: ControllingTerminal.interrupted).ask(
            "\n  Enter: \(next.title). q: the end. ", isSecret: false)
        return answer.map { !$0.lowercased().hasPrefix("q") } ?? false
    }
}
