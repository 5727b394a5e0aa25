import Foundation
import HttpC
import HttpConversationTesting
import Synchronization
import Testing

@testable import HttpCTerminal

@Suite struct ProgressLineTests {
    private func tally(_ count: Int, of expected: Int?, transfers: Int = 1, name: String = "") -> TransferTally {
        var tally = TransferTally(transfers: transfers)
        tally.name = name
        for transfer in 0..<transfers {
            tally.update(transfer, .down, 0, of: expected, at: .zero)
            tally.update(transfer, .down, count / 2, of: expected, at: .seconds(1))
            tally.update(transfer, .down, count, of: expected, at: .seconds(2))
        }
        return tally
    }

    @Test func wide() {
        let line = ProgressLine(width: 100, isUnicode: true).running(
            tally(12 << 20, of: 48 << 20), elapsed: .seconds(2))
        #expect(line.hasPrefix("↓  25% ██████████░░"))
        #expect(line.hasSuffix("░  12.0 MiB of 48.0 MiB  6.0 MiB/s  0:06 left"))
    }

    @Test func inThirtyEightColumns() {
        let line = ProgressLine(width: 38, isUnicode: true).running(tally(12 << 20, of: 48 << 20), elapsed: .seconds(2))
        #expect(line == "↓  25% ██░░░░░░  6.0 MiB/s  0:06 left")
    }

    /// In every width there is one line, which leaves the last column free.
    @Test(arguments: [true, false]) func everyWidth(isUnicode: Bool) {
        let names = ["", "big.iso", String(repeating: "文件", count: 50), "a\u{1B}[2Jb", "e\u{301}\u{202E}x"]
        for width in 1...140 {
            let line = ProgressLine(width: width, isUnicode: isUnicode)
            for expected in [nil, 0, 1, 1 << 20, 1 << 30, .max] as [Int?] {
                for count in [0, 1, 1 << 20, 1 << 50] {
                    for transfers in [1, 12] {
                        let tally = tally(count, of: expected, transfers: transfers, name: names[width % names.count])
                        for text in [
                            line.running(tally, elapsed: .seconds(100_000)), line.summary(tally, elapsed: .seconds(3)),
                        ] {
                            #expect(ProgressLine.columns(of: text) <= max(1, width - 1), "\(width): \(text)")
                            #expect(TerminalText.sanitise(text) == text)
                            #expect(isUnicode || text.utf8.allSatisfy { $0 < 0x80 })
                        }
                    }
                }
            }
        }
    }

    @Test(
        arguments: [
            (["LANG": "de_DE.UTF-8", "TERM": "xterm"], true), (["LANG": "C.utf8", "TERM": "xterm"], true),
            (["LANG": "C", "TERM": "xterm"], false), (["TERM": "xterm"], false),
            (["LC_ALL": "C", "LANG": "C.UTF-8", "TERM": "xterm"], false),
            (["LC_ALL": "", "LC_CTYPE": "en_US.UTF-8", "TERM": "xterm"], true),
            (["LANG": "C.UTF-8", "TERM": "linux"], false), (["LANG": "C.UTF-8"], false),
        ])
    func whatTerminalsShow(environment: [String: String], isUnicode: Bool) {
        #expect(ProgressScreen.isUnicode(environment) == isUnicode)
    }

    /// A terminal whose width the test sets, and its output.
    private final class Screen: Sendable {
        let width = Mutex(80)
        let text = Mutex("")

        var screen: ProgressScreen {
            ProgressScreen(isUnicode: true, width: { [self] in width.withLock { $0 } }) { [self] line in
                text.withLock { $0 += line }
            }
        }

        func taken() -> String {
            text.withLock { text in
                defer { text = "" }
                return text
            }
        }
    }

    @Test func aBarFollowsTheTerminalAndLeavesASummary() {
        let screen = Screen()
        let clock = TestClock()
        let bar = ProgressBar(transfers: 1, screen: screen.screen, clock: clock)
        bar.name("/tmp/big.iso")
        bar.update(0, .down, 0, of: 100)
        clock.advance(by: .milliseconds(900))
        bar.update(0, .down, 10, of: 100)
        #expect(screen.taken().isEmpty)
        clock.advance(by: .milliseconds(1100))
        bar.update(0, .down, 50, of: 100)
        let wide = screen.taken()
        #expect(wide.hasPrefix("↓  50% █"))
        // In the narrow terminal, the line of 80 columns now fills three rows.
        screen.width.withLock { $0 = 30 }
        bar.redraw()
        let narrow = screen.taken()
        #expect(narrow.hasPrefix("\r\u{1B}[\((ProgressLine.columns(of: wide) - 1) / 30)A\u{1B}[J↓  50%"))
        bar.hide()
        #expect(screen.taken() == "\r\u{1B}[J")
        bar.redraw()
        #expect(screen.taken().isEmpty)
        // Nothing is drawn while something else is written there.
        bar.pause()
        clock.advance(by: .seconds(1))
        bar.update(0, .down, 60, of: 100)
        #expect(screen.taken().isEmpty)
        bar.resume()
        clock.advance(by: .seconds(1))
        bar.update(0, .down, 100, of: 100)
        #expect(screen.taken().hasPrefix("↓ 100%"))
        bar.ended(0)
        screen.width.withLock { $0 = 80 }
        bar.finish(isComplete: true)
        #expect(screen.taken() == "\r\u{1B}[J↓ big.iso  100 B in 0:04, 25 B/s\n")
        bar.update(0, .down, 100, of: 100)
        bar.finish(isComplete: true)
        #expect(screen.taken().isEmpty)
    }

    @Test func whatFailsOrIsShortLeavesNothing() {
        for isComplete in [true, false] {
            let screen = Screen()
            let clock = TestClock()
            let bar = ProgressBar(transfers: 1, screen: screen.screen, clock: clock)
            bar.update(0, .down, 0, of: nil)
            if !isComplete {
                clock.advance(by: .seconds(2))
                bar.update(0, .down, 5, of: nil)
                #expect(screen.taken().hasPrefix("↓ 5 B"))
            }
            bar.finish(isComplete: isComplete)
            #expect(screen.taken() == (isComplete ? "" : "\r\u{1B}[J"))
        }
    }

    /// An upload's answer and a repeated body start from zero; the bytes of other transfers stay counted.
    @Test func countsOfTransfers() {
        var tally = TransferTally(transfers: 2)
        tally.update(0, .up, 100, of: 200, at: .zero)
        #expect(tally.expected == nil)
        tally.update(1, .up, 50, of: 100, at: .seconds(1))
        #expect(tally.count == 150)
        #expect(tally.expected == 300)
        tally.update(0, .up, 20, of: 200, at: .seconds(2))
        #expect(tally.count == 70)
        tally.update(0, .down, 7, of: nil, at: .seconds(3))
        #expect(tally.count == 57)
        #expect(tally.expected == nil)
        tally.end(0)
        #expect(tally.ended == 1)
        #expect(tally.expected == 107)
    }
}
