import HttpC
import HttpCTerminal
import HttpConvFormats
import HttpConvLogon
import HttpConvLogonScreens

/// One screen on a terminal: its text, a question for each field, and a choice if there are several actions.
struct TerminalLogonScreen {
    private let screen: LogonScreen
    private let terminal: TerminalPrompter
    private let text: TerminalLogonText

    init(_ screen: LogonScreen, _ terminal: TerminalPrompter, _ text: TerminalLogonText) {
        self.screen = screen
        self.terminal = terminal
        self.text = text
    }

    func run() async throws -> LogonScreenAnswer {
        try await write(text.head(screen))
        guard !screen.fields.isEmpty else { return LogonScreenAnswer(try await choose(screen.actions)) }
        try await write(hints)
        if let field = screen.fields.first, field.kind == .choice { return try await pick(field) }
        var values: [LogonField.Name: String] = [:]
        for field in screen.fields {
            guard let value = try await ask(field) else {
                return LogonScreenAnswer(try await choose(otherWays), values)
            }
            values[field.id] = value
        }
        return LogonScreenAnswer(screen.actions.first ?? .proceed, values)
    }

    /// The actions besides the usual one.
    private var otherWays: [LogonAction] { screen.actions.dropFirst().filter { $0 != .cancel } + [.cancel] }

    private var hasOtherWays: Bool { otherWays.count > 1 }

    private var hints: [String] {
        var hints: [String] = []
        if screen.fields.contains(where: { !$0.value.isEmpty || !$0.placeholder.isEmpty }) {
            hints.append("Enter keeps what is in brackets.")
        }
        if hasOtherWays, !screen.fields.contains(where: { $0.kind == .choice }) {
            hints.append("Enter alone shows what else can be done.")
        }
        hints.append("Ctrl-C stops.")
        return text.wrapped(hints.joined(separator: " ")).map { text.style.paint($0, .dim) }
    }

    /// - Returns: nil if the person wants another action
    private func ask(_ field: LogonField) async throws -> String? {
        while true {
            let prompt = text.prompt(field, of: screen.fields)
            let entered = try await terminal.ask(prompt, isSecret: field.kind == .secret)
            if entered.isEmpty {
                if !field.value.isEmpty || !field.isRequired { return field.value }
                if hasOtherWays { return nil }
                try await complain("Please enter something.")
                continue
            }
            switch field.kind {
            case .text, .choice: return entered
            case .toggle:
                if let value = Self.toggle(entered) { return value }
                try await complain("Please answer yes or no.")
            case .number:
                if entered.utf8.allSatisfy(\.isASCIIDigit) { return entered }
                try await complain("Please enter a number.")
            case .secret:
                guard field.id == .newPasscode, !screen.rules.allSatisfy({ $0.isSatisfied(by: entered) }) else {
                    return entered
                }
                try await write(text.rules(screen.rules, for: entered))
                try await complain("Please choose another passcode.")
            }
        }
    }

    private func choose(_ actions: [LogonAction]) async throws -> LogonAction {
        guard actions != [.proceed, .cancel] else {
            _ = try await terminal.ask("  Press Enter to go on, Ctrl-C to stop. ", isSecret: false)
            return .proceed
        }
        return actions[try await number(of: actions.map(\.label), usual: 0)]
    }

    /// Asks for one of the field's choices, or another action, in one list.
    private func pick(_ field: LogonField) async throws -> LogonScreenAnswer {
        let answers =
            field.choices.map { LogonScreenAnswer(screen.actions.first ?? .proceed, [field.id: $0.id]) }
            + otherWays.map { LogonScreenAnswer($0) }
        let labels = field.choices.map(\.label) + otherWays.map(\.label)
        return answers[try await number(of: labels, usual: field.choices.firstIndex { $0.id == field.value })]
    }

    /// Shows a list, and asks for the number of a line.
    ///
    /// - Parameter usual: the index of an empty answer; nil: a number is needed
    /// - Returns: the index of the line
    private func number(of labels: [String], usual: Int?) async throws -> Int {
        try await write(labels.enumerated().flatMap { text.line(number: $0 + 1, $1) })
        while true {
            let prompt = usual.map { "  Number [\($0 + 1)]: " } ?? "  Number: "
            let entered = try await terminal.ask(prompt, isSecret: false)
            if entered.isEmpty, let usual { return usual }
            if let number = PeerNumber.integer(entered, in: 1...labels.count) { return number - 1 }
            try await complain("Please enter a number from 1 to \(labels.count).")
        }
    }

    private static func toggle(_ entered: String) -> String? {
        switch entered.lowercased() {
        case "y", "yes": LogonField.on
        case "n", "no": LogonField.off
        default: nil
        }
    }

    private func complain(_ words: String) async throws {
        try await write(text.wrapped(words).map { text.style.paint($0, .yellow) })
    }

    private func write(_ lines: [String]) async throws {
        guard !lines.isEmpty else { return }
        try await terminal.write(lines.map { $0 + "\n" }.joined())
    }
}
