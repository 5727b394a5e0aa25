import Foundation
import HttpC
import HttpCTerminal
import HttpConvSystem

/// The demo's output: no wider than the terminal, with the colours and characters that it supports.
struct DemoPage: Sendable {
    let style: TerminalStyle
    var isUnicode = true
    /// The width in columns.
    var width = 80
    var write: @Sendable (String) -> Void = { _ = SystemCalls.writeAll(1, Array($0.utf8)) }

    static func standardOutput() -> DemoPage {
        DemoPage(
            style: TerminalStyle(descriptor: 1),
            isUnicode: ProgressScreen.isUnicode(ProcessInfo.processInfo.environment),
            width: min(100, max(40, TerminalSize.current(of: 1).columns)))
    }

    /// The maximum width of commands' output, in columns.
    var room: Int { width - Self.indent }

    func heading(_ scene: DemoScene) {
        let command = "httpc demo \(scene.name)"
        let gap = max(2, width - scene.title.count - command.count)
        line("")
        line(style.paint(scene.title, .bold) + String(repeating: " ", count: gap) + style.paint(command, .dim))
        line(scene.explanation, indent: Self.indent)
    }

    /// A command as a person would type it.
    func command(_ text: String) {
        line("")
        line(style.paint("$ \(text)", .bold), indent: Self.indent, hanging: 4)
    }

    /// A line that a command has printed.
    func output(_ text: String) { line(DemoText.withoutQueries(text), indent: Self.indent) }

    /// An event outside of the terminal.
    func note(_ text: String) { line(style.paint("(\(text))", .dim), indent: Self.indent) }

    /// One step of a conversation.
    func step(_ elapsed: Duration, _ mark: String, _ text: String, _ colour: TerminalStyle.Colour) {
        let time = Self.right(Story.milliseconds(elapsed), 9)
        line("\(style.paint(time, .dim))  \(style.paint(mark, colour))  \(text)", indent: Self.indent, hanging: 14)
    }

    /// A detail of the last step.
    func detail(_ text: String) { line(style.paint(text, .dim), indent: Self.indent + 14, hanging: 2) }

    func verdict(_ result: DemoResult) {
        if result.isStory { line("") }
        switch result.outcome {
        case .success(let text): line("\(style.paint("✓", .green)) \(text)", indent: Self.indent, hanging: 2)
        case .failure(let problem): line("\(style.paint("✗", .red)) \(problem.text)", indent: Self.indent, hanging: 2)
        }
    }

    func summary(_ results: [DemoResult]) {
        line("")
        line(style.paint("Summary", .bold))
        let names = results.map(\.name.count).max() ?? 0
        let titles = results.map(\.title.count).max() ?? 0
        for result in results {
            let mark = result.isGood ? style.paint("✓", .green) : style.paint("✗", .red)
            let exchanges = Self.right("\(result.exchanges)", 4) + (result.exchanges == 1 ? " exchange " : " exchanges")
            let time = Self.right(Self.seconds(result.elapsed), 7)
            line(
                "\(mark) \(TextTable.pad(result.name, to: names))  \(TextTable.pad(result.title, to: titles))"
                    + exchanges + time, indent: 2)
        }
        let bad = results.count { !$0.isGood }
        line("")
        line(
            bad == 0
                ? style.paint("All \(results.count) went well.", .green)
                : style.paint("\(bad) of \(results.count) went wrong.", .red))
    }

    /// Lists names and titles.
    func list(_ scenes: [DemoScene]) {
        let names = scenes.map(\.name.count).max() ?? 0
        for scene in scenes { line("\(TextTable.pad(scene.name, to: names))  \(scene.title)", indent: 2) }
    }

    func line(_ text: String, indent: Int = 0, hanging: Int = 0) {
        let shown =
            text.isEmpty ? "" : String(repeating: " ", count: indent) + (isUnicode ? text : DemoText.ascii(text))
        let lines = DemoText.wrapped(shown, to: width, hanging: indent + hanging)
        write(lines.map { $0 + "\n" }.joined())
    }

    private static let indent = 2

    private static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }

    private static func seconds(_ duration: Duration) -> String {
        let hundredths = Int(duration / .milliseconds(10))
        let rest = hundredths % 100
        return "\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest) s"
    }
}
