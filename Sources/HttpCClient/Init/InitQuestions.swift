import HttpC
import HttpCTerminal
import HttpConvFormats

/// The questions of `init`, on the terminal. With --yes nobody is asked: defaults are taken, and nothing is confirmed.
struct InitQuestions: Sendable {
    private let prompter: TerminalPrompter?

    /// - Throws: a failure if somebody has to be asked and there is no terminal
    init(isUnattended: Bool) throws(CommandFailure) {
        guard !isUnattended else {
            prompter = nil
            return
        }
        guard TerminalPrompter.isAvailable else {
            throw CommandFailure(
                .usage, "There is no terminal to ask on: use --yes, with the options for what would be asked.")
        }
        prompter = TerminalPrompter(onInterrupt: ControllingTerminal.interrupted)
    }

    var isAttended: Bool { prompter != nil }

    /// Asks for a line. An empty one means the default.
    ///
    /// - Parameter check: returns the reason why an answer cannot be used; then the question is asked again
    /// - Returns: the default without a person; nil if there is none
    func text(
        _ question: String, default usual: String? = nil, _ check: (String) -> String? = { _ in nil }
    ) async throws(CommandFailure) -> String? {
        guard prompter != nil else { return usual }
        for _ in 0..<Self.maximumTries {
            let shown = usual.map { " [\(TerminalText.sanitise($0))]" } ?? ""
            let answer = try await line("\(question)\(shown): ")
            guard let text = answer.isEmpty ? usual : answer else { continue }
            guard let problem = check(text) else { return text }
            try await write("  \(problem)\(shown.isEmpty ? "" : " Enter keeps\(shown).")\n")
        }
        throw CommandFailure(.usage, "There was no answer that can be used. Nothing was written.")
    }

    /// Asks for yes or no. Without a person the answer is no.
    func confirm(_ question: String, default usual: Bool? = nil) async throws(CommandFailure) -> Bool {
        guard prompter != nil else { return false }
        for _ in 0..<Self.maximumTries {
            switch try await line("\(question) (yes/no)\(usual.map { $0 ? " [yes]" : " [no]" } ?? ""): ").lowercased() {
            case "y", "yes": return true
            case "n", "no": return false
            case "": if let usual { return usual }
            default: break
            }
            try await write("  Please answer yes or no.\n")
        }
        return false
    }

    /// Asks for one of several ways.
    ///
    /// - Returns: the index; 0 without a person
    func choose(_ question: String, _ ways: [String]) async throws(CommandFailure) -> Int {
        guard prompter != nil, ways.count > 1 else { return 0 }
        return try await number(question, ways, default: "1") ?? 0
    }

    /// Asks for a decision: there is no default, also if there is only one way.
    ///
    /// - Returns: the index; nil without a person
    func decide(_ question: String, _ ways: [String]) async throws(CommandFailure) -> Int? {
        guard prompter != nil, !ways.isEmpty else { return nil }
        return try await number(question, ways, default: nil)
    }

    private func number(
        _ question: String, _ ways: [String], default usual: String?
    ) async throws(CommandFailure) -> Int? {
        let list = ways.enumerated().map { "  \($0.offset + 1)  \($0.element)\n" }.joined()
        try await write("\(question)\n\(list)")
        let numbers = (1...ways.count).map { "\($0)" }
        let answer = try await text("Number", default: usual) {
            numbers.contains($0) ? nil : "Please enter a number from 1 to \(ways.count)."
        }
        return answer.flatMap { numbers.firstIndex(of: $0) }
    }

    private static let maximumTries = 5

    private func line(_ prompt: String) async throws(CommandFailure) -> String {
        let typed = try await checked { try await $0.ask(prompt, isSecret: false) }
        return String(typed.trimmingSpaces)
    }

    private func write(_ text: String) async throws(CommandFailure) { try await checked { try await $0.write(text) } }

    private func checked<Value: Sendable>(
        _ work: (TerminalPrompter) async throws -> Value
    ) async throws(CommandFailure) -> Value {
        guard let prompter else { throw CommandFailure(.usage, "There is no terminal to ask on.") }
        do { return try await work(prompter) } catch {
            throw CommandFailure(.loginFailed, "The question was cancelled. Nothing was written.")
        }
    }
}
