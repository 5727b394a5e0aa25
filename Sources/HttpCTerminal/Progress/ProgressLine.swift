import HttpC
import HttpConvFormats

/// The text of a progress bar, which fits every width.
package struct ProgressLine {
    /// The width in columns.
    let width: Int
    /// Whether the terminal has more than ASCII.
    let isUnicode: Bool

    /// The text during a transfer. If it does not fit, the least important parts are left out first.
    ///
    /// - Parameter elapsed: the time since the first byte
    func running(_ tally: TransferTally, elapsed: Duration) -> String {
        let place = tally.transfers > 1 ? "\(tally.ended)/\(tally.transfers) " : ""
        let head = "\(arrow(tally.direction)) \(place)"
        let count = ByteCount.text(tally.count)
        let rate = tally.rate.map { "  \(ByteCount.text(Self.whole($0)))/s" } ?? ""
        guard let expected = tally.expected, expected > 0 else {
            let clock = "  \(Self.clock(elapsed / .seconds(1)))"
            return fitting(["\(head)\(count)\(rate)\(clock)", "\(head)\(count)\(rate)", "\(head)\(count)", count])
        }
        let share = min(1, Double(tally.count) / Double(expected))
        let percent = String(Self.whole(share * 100))
        let front = head + String(repeating: " ", count: max(0, 3 - percent.count)) + percent + "%"
        let left = time(tally, of: expected).map { "  \(Self.clock($0)) left" } ?? ""
        let tails = [
            "  \(count) of \(ByteCount.text(expected))\(rate)\(left)", "  \(count)\(rate)\(left)", "\(rate)\(left)",
            rate, "",
        ]
        for tail in tails {
            let room = min(40, columns - Self.columns(of: front) - Self.columns(of: tail) - 1)
            if room >= 8 { return front + " " + bar(share, room) + tail }
        }
        return fitting(tails.map { front + $0 } + ["\(percent)%"])
    }

    /// The text that stays at the end.
    func summary(_ tally: TransferTally, elapsed: Duration) -> String {
        let seconds = elapsed / .seconds(1)
        let rate = ByteCount.text(Self.whole(Double(tally.count) / max(seconds, 0.001)))
        let numbers = "\(ByteCount.text(tally.count)) in \(Self.clock(seconds)), \(rate)/s"
        let what = tally.transfers > 1 ? "\(tally.ended) transfers  " : name(tally.name, besides: numbers)
        let head = arrow(tally.direction)
        return fitting(["\(head) \(what)\(numbers)", "\(head) \(numbers)", numbers, ByteCount.text(tally.count)])
    }

    /// The usable columns: one less than there are, because a character in the last one makes some terminals begin
    /// another line.
    private var columns: Int { max(1, width - 1) }

    private func name(_ name: String, besides numbers: String) -> String {
        guard !name.isEmpty else { return "" }
        let shown = TerminalText.sanitise(name, limit: 60)
        guard isUnicode || shown.utf8.allSatisfy({ $0 < 0x80 }) else { return "" }
        var kept = ""
        for character in shown {
            guard Self.columns(of: kept) + 2 + numbers.utf8.count + 4 < columns else { break }
            kept.append(character)
        }
        return kept.isEmpty ? "" : "\(kept)  "
    }

    private func fitting(_ lines: [String]) -> String {
        lines.first { Self.columns(of: $0) <= columns } ?? String((lines.last ?? "").prefix(columns))
    }

    private func bar(_ share: Double, _ room: Int) -> String {
        guard isUnicode else {
            let filled = Self.whole(share * Double(room - 2))
            return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: room - 2 - filled) + "]"
        }
        let filled = Self.whole(share * Double(room))
        return String(repeating: "█", count: filled) + String(repeating: "░", count: room - filled)
    }

    private func arrow(_ direction: ProgressBar.Direction) -> String {
        switch direction {
        case .up: isUnicode ? "↑" : "^"
        case .down: isUnicode ? "↓" : "v"
        }
    }

    private func time(_ tally: TransferTally, of expected: Int) -> Double? {
        guard let rate = tally.rate, rate > 0 else { return nil }
        return Double(expected - tally.count) / rate
    }

    private static func whole(_ number: Double) -> Int {
        PeerNumber.integer(number, clampingTo: 0...1_000_000_000_000_000_000) ?? 0
    }

    static func clock(_ seconds: Double) -> String {
        let total = PeerNumber.integer(seconds, clampingTo: 0...359_999) ?? 0
        let rest = total % 60
        let short = "\(total / 60 % 60):\(rest < 10 ? "0" : "")\(rest)"
        let minutes = total / 60 % 60
        return total < 3600 ? short : "\(total / 3600)h\(minutes < 10 ? "0" : "")\(minutes)"
    }

    /// The columns of a text on a terminal; characters that may be wide count as wide.
    package static func columns(of text: String) -> Int {
        text.unicodeScalars.reduce(0) { columns, scalar in
            let isNarrow = scalar.value < 0x1100 || (0x2190...0x25FF).contains(scalar.value) || scalar == "…"
            return columns + (isNarrow ? 1 : 2)
        }
    }
}

/// Sizes as text for people.
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
        let tenths = PeerNumber.integer(value * 10, clampingTo: 0...Int.max) ?? 0
        return "\(tenths / 10).\(tenths % 10) \(units[unit])"
    }
}
