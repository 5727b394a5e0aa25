import HttpC

/// How the demo looks: aligned columns, colours where they are welcome.
struct DemoPage: Sendable {
    let style: TerminalStyle

    func title(_ name: String, _ text: String) { write("\n\(style.paint(name, .bold)) – \(text)\n") }

    func heading(_ number: Int, _ title: String, _ explanation: String) {
        let shown = number < 10 ? " \(number)" : "\(number)"
        write("\n\(style.paint("\(shown)  \(title)", .bold))")
        write("    \(style.paint(explanation, .dim))")
    }

    /// One step of a timeline.
    func step(_ elapsed: Duration, _ mark: String, _ text: String, _ colour: TerminalStyle.Colour) {
        let time = VerboseObserver.milliseconds(elapsed)
        write("    \(style.paint(Self.right(time, 11), .dim))  \(style.paint(mark, colour))  \(text)")
    }

    func verdict(_ result: DemoResult) {
        switch result.outcome {
        case .success(let text): write("    \(style.paint("✓", .green)) \(text)")
        case .failure(let problem): write("    \(style.paint("✗", .red)) \(problem.text)")
        }
    }

    func summary(_ results: [DemoResult]) {
        write("\n\(style.paint("Summary", .bold))")
        let width = results.map(\.title.count).max() ?? 0
        for result in results {
            let mark = result.isGood ? style.paint("✓", .green) : style.paint("✗", .red)
            let exchanges = Self.right("\(result.exchanges)", 4) + (result.exchanges == 1 ? " exchange " : " exchanges")
            let time = Self.right(VerboseObserver.milliseconds(result.elapsed), 11)
            write("  \(mark) \(TextTable.pad(result.title, to: width)) \(exchanges) \(time)")
        }
        let bad = results.count { !$0.isGood }
        let line =
            bad == 0
            ? style.paint("All \(results.count) went well.", .green)
            : style.paint("\(bad) of \(results.count) went wrong.", .red)
        write("\n\(line)\n")
    }

    private func write(_ text: String) { _ = Posix.writeAll(1, Array((text + "\n").utf8)) }

    static func right(_ text: String, _ width: Int) -> String {
        String(repeating: " ", count: max(0, width - text.count)) + text
    }
}
