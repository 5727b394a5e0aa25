import ArgumentParser
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform

/// The argument parser's message about invalid arguments, without repeating them: any of them may be a secret.
///
/// Names of options are kept: ours, curl's, and words that look like one. Any other argument is named by its number.
struct UsageMessage {
    private let arguments: [String]
    /// The parser's message, without usage.
    private let message: String
    /// The parser's whole text.
    private let fullText: String
    /// The command that parses the arguments, such as `httpc login`.
    private let command: String
    private let type: any ParsableCommand.Type

    init(_ message: String, fullText: String, _ arguments: [String]) {
        self.arguments = arguments
        self.message = message
        self.fullText = fullText
        let usage = fullText.split(ascii: "\n").first { $0.hasPrefix("Usage: ") }?.dropFirst("Usage: ".count) ?? "httpc"
        let words = usage.split(ascii: " ").prefix { $0.utf8.allSatisfy { (0x61...0x7A).contains($0) } }
        command = words.count > 1 ? words.joined(separator: " ") : "A request"
        type =
            words.count > 1
            ? words.dropFirst().reduce(HttpcMain.self as any ParsableCommand.Type) { type, word in
                type.configuration.subcommands.first { $0.configuration.commandName == String(word) } ?? type
            } : RequestCommand.self
    }

    /// The parser's whole text, with its message made harmless.
    var text: String {
        let head = "Error: \(message)\n"
        let usage = fullText.hasPrefix(head) ? "\n" + fullText.dropFirst(head.count) : ""
        return "Error: \(harmlessMessage)\(usage)"
    }

    /// Recognises the parser's messages one by one. An unknown message with a quotation is left out.
    var harmlessMessage: String {
        if message.hasPrefix("Unknown option '") { return missingValue ?? unknownOption(at: unknownIndex) }
        if message.hasPrefix("Missing expected argument"),
            let index = unknownLongIndex ?? ShortOptions.firstUnknown(arguments)
        {
            return unknownOption(at: index)
        }
        // The value of an unknown option looks like another URL.
        if message == RequestCommand.tooManyArguments,
            let index = unknownLongIndex ?? ShortOptions.firstUnknown(arguments)
        {
            return unknownOption(at: index)
        }
        // So does the value of an option of another command.
        if message == RequestCommand.tooManyArguments, let name = foreignOption { return isOfOthers(name) }
        if message.contains(/^(Unexpected argument|\d+ unexpected arguments:?) '/) {
            return "There are more arguments than httpc takes here. "
                + (subcommand.map { "Did you mean \(command) \($0)?" } ?? "Quote what has spaces or an & in it.")
        }
        if message.hasPrefix("The value '") { return invalidValue }
        if message.hasPrefix("The option '"), let end = message.firstRange(of: "' does not take any value") {
            let name = message[..<end.lowerBound].dropFirst("The option '".count)
            return isOurs(name) ? "The option '\(name)' takes no value." : Self.fallback
        }
        if message.hasPrefix("Missing ") { return message }
        if message.hasPrefix("Invalid option") || message.contains("'") { return Self.fallback }
        return message
    }

    private static let fallback = "The arguments cannot be understood."

    private var unknownIndex: Int? {
        let name = message.dropFirst("Unknown option '".count)
        let fits = { (argument: String) in argument.hasPrefix("-") && name.hasPrefix(Self.name(argument) + "'") }
        // Without such an option, another command may take it for a value, or it is a letter of a cluster.
        return ShortOptions.first(in: arguments, where: fits) ?? arguments.firstIndex(where: fits)
            ?? ShortOptions.firstUnknown(arguments)
    }

    private var unknownLongIndex: Int? {
        arguments.prefix { $0 != "--" }.firstIndex { $0.hasPrefix("--") && !ShortOptions.names.contains(Self.name($0)) }
    }

    /// The first option that other commands have, and this one has not.
    private var foreignOption: String? {
        let (words, known) = (ShortOptions.separated(arguments), options)
        return ShortOptions.first(in: words) {
            ShortOptions.names.contains(Self.name($0)) && !known.contains(Self.name($0))
        }.map { Self.name(words[$0]) }
    }

    /// The options of the command, as its help lists them.
    private var options: Set<String> {
        let lines = type.helpMessage(includeHidden: true).split(ascii: "\n").filter { $0.hasPrefix("  -") }
        // Such as "-o, --output <file>" and "--compressed/--no-compressed".
        let names = lines.flatMap { $0.split(ascii: " ").prefix { $0.hasPrefix("-") } }
        return Set(names.flatMap { $0.split { $0 == "/" || $0 == "," } }.map { String($0) })
    }

    /// The sub-command whose name an argument nearly is.
    private var subcommand: String? {
        let names = type.configuration.subcommands.compactMap { $0.configuration.commandName }
        return arguments.lazy.compactMap { EditDistance.nearest(to: $0, in: names) }.first
    }

    private func isOfOthers(_ name: String) -> String {
        "\(command) has no \(name), which other commands of httpc have."
    }

    /// The text before the `=` of an option.
    private static func name(_ argument: String) -> String { String(argument.prefix { $0 != "=" }) }

    /// The message about an unknown option, with its name if it looks like one, else with its number.
    private func unknownOption(at index: Int?) -> String {
        guard let index else { return foreignOption.map(isOfOthers) ?? "There is an unknown option." }
        let name = Self.name(arguments[index])
        guard name.hasPrefix("--") else { return unknownLetter(of: name, at: index) }
        if ShortOptions.names.contains(name) { return isOfOthers(name) }
        if let advice = CurlOptions.advice(name) { return "httpc has no \(name). \(advice)" }
        let nearest = EditDistance.nearest(to: name, in: options.filter { $0.hasPrefix("--") })
        let hint = nearest.map { " Did you mean \($0)?" } ?? ""
        return Self.isPlain(name) || name.count > 4 && nearest != nil
            ? "Unknown option \(name).\(hint)" : "Argument \(index + 1) is an unknown option.\(hint)"
    }

    /// The message about the first unknown letter of a cluster.
    private func unknownLetter(of cluster: String, at index: Int) -> String {
        let letter = cluster.utf8.dropFirst().first {
            !ShortOptions.withValue.contains($0) && !ShortOptions.flags.contains($0)
        }
        guard let letter = letter ?? cluster.utf8.dropFirst().first, (0x21...0x7E).contains(letter) else {
            return "Argument \(index + 1) is an unknown option."
        }
        let name = "-" + String(decoding: [letter], as: UTF8.self)
        if ShortOptions.names.contains(name) { return isOfOthers(name) }
        if let long = CurlOptions.letters[letter], let advice = CurlOptions.advice(long) {
            return "httpc has no \(name) (\(long)). \(advice)"
        }
        return "Unknown option \(name)."
    }

    /// Whether an option has only small letters and hyphens, so that it is a name and cannot be a secret.
    private static func isPlain(_ name: String) -> Bool {
        name.utf8.count <= 40 && name.utf8.allSatisfy { (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }
    }

    private var invalidValue: String {
        guard let start = message.ranges(of: "' is invalid for '").last?.upperBound else {
            return "A value is invalid."
        }
        let rest = message[start...]
        let option = rest.prefix { $0 != "'" }
        guard isOurs(option) else { return "A value is invalid." }
        let known = rest.dropFirst(option.count + 1)
        return "The value is invalid for '\(option)'" + (known.hasPrefix(". Please provide one of ") ? known : ".")
    }

    /// The message about a cluster of flags whose last one needs a value.
    private var missingValue: String? {
        guard let start = message.ranges(of: "or: Missing value for '").last?.upperBound else {
            return nil
        }
        let option = message[start...].prefix { $0 != "'" }
        return isOurs(option) ? "Missing value for '\(option)'" : nil
    }

    /// - Parameter synopsis: an option, perhaps followed by the name of its value
    private func isOurs(_ synopsis: Substring) -> Bool {
        ShortOptions.names.contains(String(synopsis.prefix { $0 != " " }))
    }
}
