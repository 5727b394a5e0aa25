import HttpConvAuthFlows
import HttpConvFormats
public import HttpConversation

/// Asks on the controlling terminal, whatever standard input and output are.
///
/// Passwords are entered without echo. The terminal gets its settings back however a question ends, even with Ctrl-C.
/// Ctrl-C, Ctrl-D on an empty line and a closed terminal end the login with
/// ``/HttpConvAuthFlows/WebLoginError/Code/cancelled``.
public struct TerminalPrompter: FormPrompter {
    private let device: TerminalDevice

    /// Creates a prompter for the process's terminal.
    ///
    /// - Parameter onInterrupt: called at Ctrl-C, which raises no signal while a question is asked
    public init(onInterrupt: (@Sendable () -> Void)? = nil) {
        device = TerminalDevice(onInterrupt: onInterrupt)
    }

    /// Creates a prompter for another terminal.
    package init(path: String, onInterrupt: (@Sendable () -> Void)? = nil) {
        device = TerminalDevice(path: path, onInterrupt: onInterrupt)
    }

    /// Whether the process has a controlling terminal to ask on.
    public static var isAvailable: Bool { TerminalDevice().isThere }

    /// Whether the terminal can be opened.
    public var isThere: Bool { device.isThere }

    /// Restores the terminal's settings at once, for a program that is about to end during a question.
    public static func restoreTerminal() { TerminalDevice.restore() }

    /// Whether a question is being asked on any terminal. Temporary lines are hidden meanwhile.
    public static var isAsking: Bool { TerminalDevice.isAsking }

    /// Sets the function that removes a temporary line, such as a spinner. It is called before anything is written.
    public static func setTemporaryLineRemover(_ remove: (@Sendable () -> Void)?) { TerminalDevice.erase(by: remove) }

    /// Writes text. A peer's text must be sanitised before (``/HttpConversation/TerminalText``).
    ///
    /// - Throws: ``/HttpConvAuthFlows/WebLoginError`` with `.noStrategy` without a terminal, with `.cancelled` if it
    ///   was closed; `CancellationError`
    public func write(_ text: String) async throws { try await device.write(text) }

    /// Asks for one line.
    ///
    /// - Parameters:
    ///   - prompt: written before the question, without a line end
    ///   - isSecret: whether the line is entered without echo
    /// - Throws: ``/HttpConvAuthFlows/WebLoginError`` with `.cancelled` at Ctrl-C, Ctrl-D or hang-up, with
    ///   `.noStrategy` without a terminal; `CancellationError`
    public func ask(_ prompt: String, isSecret: Bool) async throws -> String {
        try await device.ask(prompt, isSecret: isSecret)
    }

    public func show(_ page: FormPage) async throws {
        var lines = [
            "", "\(page.purpose) login: a page of \(page.origin)" + (page.isEncrypted ? "" : " (not encrypted)"),
        ]
        if !page.title.isEmpty { lines.append("  Title: \(page.title)") }
        if page.isAgain { lines.append("  Not accepted: the page asks again.") }
        if !page.alert.isEmpty { lines.append("  It says: \(page.alert)") }
        if page.alert.isEmpty, !page.isAgain, !page.text.isEmpty { lines.append("  Text: \(page.text)") }
        try await device.write(lines.joined(separator: "\n") + "\n")
    }

    public func enter(
        _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
    ) async throws -> Redacted<String> {
        let hint = prefilled.isEmpty ? "" : " [\(prefilled)]"
        return Redacted(try await device.ask("\(Self.asked(by: origin)) \(label)\(hint): ", isSecret: isSecret))
    }

    /// Our own words with the origin, which precede any text of the page (security rule S21).
    private static func asked(by origin: Origin) -> String { "  Asked by \(origin):" }

    public func choose(
        _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int> {
        var lines = ["\(Self.asked(by: origin)) \(label):"]
        for (index, option) in options.enumerated() {
            lines.append("   \(selected.contains(index) ? "*" : " ")\(index + 1)  \(option)")
        }
        try await device.write(lines.joined(separator: "\n") + "\n")
        let usual = selected.sorted().map { "\($0 + 1)" }.joined(separator: " ")
        let hint = selected.isEmpty ? "" : " [\(usual)]"
        let prompt = Self.asked(by: origin) + (allowsSeveral ? " Numbers, 0 for none\(hint): " : " Number\(hint): ")
        while true {
            let words = try await device.ask(prompt, isSecret: false).split { $0 == " " || $0 == "," }
            if words.isEmpty, allowsSeveral || !selected.isEmpty { return selected }
            if allowsSeveral, words == ["0"] { return [] }
            let indices = words.compactMap { PeerNumber.integer($0, in: 1...Int.max) }.map { $0 - 1 }.filter(
                options.indices.contains)
            if indices.count == words.count, allowsSeveral || indices.count == 1 { return Set(indices) }
            try await device.write("  Please enter a number from 1 to \(options.count).\n")
        }
    }

    public func confirm(_ question: String) async throws -> Bool {
        while true {
            let typed = try await device.ask("  \(question) (yes/no): ", isSecret: false)
            switch String(typed.trimmingSpaces).lowercased() {
            case "y", "yes": return true
            case "n", "no", "": return false
            default: try await device.write("  Please answer yes or no.\n")
            }
        }
    }
}

extension FormPage {
    fileprivate var isEncrypted: Bool { origin.scheme == .https }
}
