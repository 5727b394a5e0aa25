import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens
import HttpConvVault
import MobileServices

/// The text of a logon's screens on a terminal: our own words first, aligned, within its width.
struct TerminalLogonText: Sendable {
    let style: TerminalStyle
    /// The width in columns; at least ``narrowest``.
    let width: Int

    private static let narrowest = 24

    init(style: TerminalStyle, width: Int) {
        self.style = style
        self.width = max(Self.narrowest, min(width, 80))
    }

    /// The text before the questions.
    func head(_ screen: LogonScreen) -> [String] {
        var lines = [""] + wrapped("httpc: \(screen.title)", indent: 0).map { style.paint($0, .bold) }
        lines += wrapped(screen.message)
        lines += wrapped(screen.problem).map { style.paint($0, .yellow) }
        if let count = screen.attemptsLeft {
            lines += wrapped(LogonScreen.text(attemptsLeft: count)).map { style.paint($0, count > 1 ? .dim : .red) }
        }
        return lines + rules(screen.rules, for: nil)
    }

    /// The rules, with a mark if a passcode satisfies them.
    func rules(_ rules: [PasswordRule], for passcode: String?) -> [String] {
        rules.flatMap { rule in
            let isSatisfied = passcode.map(rule.isSatisfied(by:)) ?? false
            let lines = wrapped(rule.text, indent: 8)
            let box = isSatisfied ? "    [x] " : "    [ ] "
            return lines.enumerated().map { index, line in
                let whole = index == 0 ? box + line.dropFirst(8) : line
                return isSatisfied ? style.paint(whole, .green) : whole
            }
        }
    }

    /// A numbered line of a list.
    func line(number: Int, _ label: String) -> [String] {
        let digits = String(number)
        let head = String(repeating: " ", count: max(0, 4 - digits.count)) + digits + "  "
        let lines = wrapped(label, indent: head.count)
        return [head + (lines.first ?? "").dropFirst(head.count)] + lines.dropFirst()
    }

    /// A prompt for a field, aligned with the other fields' prompts if the width permits.
    func prompt(_ field: LogonField, of fields: [LogonField]) -> String {
        let label = "  \(field.label):"
        let longest = fields.map { $0.label.count + 3 }.max() ?? 0
        let column = longest + 20 <= width ? longest + 1 : label.count + 1
        let shown = Self.shown(field)
        return label.padded(to: column) + (shown.isEmpty ? "" : "[\(shown)] ")
    }

    /// The meaning of an empty answer, as text for people.
    private static func shown(_ field: LogonField) -> String {
        if field.kind == .toggle { return field.value == LogonField.on ? "yes" : "no" }
        return field.value.isEmpty ? field.placeholder : field.value
    }

    /// Breaks text into lines of the terminal's width, between words if possible.
    func wrapped(_ text: String, indent: Int = 2) -> [String] {
        let room = width - indent
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var rest = word
            while !rest.isEmpty {
                let separator = line.isEmpty ? "" : " "
                if line.count + separator.count + rest.count <= room {
                    line += separator + rest
                    break
                }
                if line.isEmpty {
                    lines.append(String(rest.prefix(room)))
                    rest = rest.dropFirst(room)
                } else {
                    lines.append(line)
                    line = ""
                }
            }
        }
        if !line.isEmpty { lines.append(line) }
        return lines.map { String(repeating: " ", count: indent) + $0 }
    }
}

extension String {
    fileprivate func padded(to count: Int) -> String {
        self + String(repeating: " ", count: max(0, count - self.count))
    }
}
