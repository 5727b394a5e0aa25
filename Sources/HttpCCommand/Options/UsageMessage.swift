import ArgumentParser
import Foundation

/// What the argument parser says about arguments that cannot be parsed, without repeating them: where something is
/// wrong with them, any of them may be a secret.
///
/// Only names that the command itself has are kept; an argument that is none is told by its number.
struct UsageMessage {
    private let arguments: [String]
    /// What the parser says, without usage.
    private let message: String
    /// The parser's whole text.
    private let fullText: String

    init(_ error: any Error, by type: any ParsableCommand.Type, _ arguments: [String]) {
        self.arguments = arguments
        message = type.message(for: error)
        fullText = type.fullMessage(for: error)
    }

    /// The parser's whole text, with its message made harmless.
    var text: String {
        let head = "Error: \(message)\n"
        let usage = fullText.hasPrefix(head) ? "\n" + fullText.dropFirst(head.count) : ""
        return "Error: \(harmlessMessage)\(usage)"
    }

    /// The parser's templates, one after the other; what is none of them and quotes something is left out whole.
    var harmlessMessage: String {
        if message.hasPrefix("Unknown option '") { return missingValue ?? unknownOption(at: unknownIndex) }
        // The value of an option that is none looks like another URL.
        if message == RequestCommand.tooManyArguments, let index = unknownLongIndex { return unknownOption(at: index) }
        if message.contains(/^(Unexpected argument|\d+ unexpected arguments:?) '/) {
            return "There are more arguments than httpc takes here. Quote what has spaces or an & in it."
        }
        if message.hasPrefix("The value '") { return invalidValue }
        if message.hasPrefix("The option '"), let end = message.range(of: "' does not take any value") {
            let name = message[..<end.lowerBound].dropFirst("The option '".count)
            return isOurs(name) ? "The option '\(name)' takes no value." : Self.fallback
        }
        if message.hasPrefix("Missing ") { return message }
        if message.hasPrefix("Invalid option") || message.contains("'") { return Self.fallback }
        return message
    }

    private static let fallback = "The arguments cannot be understood."

    private var unknownIndex: Int? {
        let argument = message.dropFirst("Unknown option '".count)
        return arguments.firstIndex { $0.count > 1 && $0.hasPrefix("-") && argument.hasPrefix(Self.name($0)) }
    }

    private var unknownLongIndex: Int? {
        arguments.prefix { $0 != "--" }.firstIndex { $0.hasPrefix("--") && !Self.optionNames.contains(Self.name($0)) }
    }

    /// What stands before the `=` of an option.
    private static func name(_ argument: String) -> String { String(argument.prefix { $0 != "=" }) }

    /// By its name where that is all but one of ours, else by its number.
    private func unknownOption(at index: Int?) -> String {
        let name = index.map { Self.name(arguments[$0]) } ?? ""
        let nearest = EditDistance.nearest(to: name, in: Self.optionNames.filter { $0.hasPrefix("--") })
        let hint = name.count == 2 ? "" : nearest.flatMap { $0 == name ? nil : " Did you mean \($0)?" } ?? ""
        if name.count == 2 || name.count > 4 && nearest != nil {
            return "Unknown option \(name).\(hint)"
        }
        return index.map { "Argument \($0 + 1) is an unknown option." } ?? "There is an unknown option."
    }

    private var invalidValue: String {
        guard let start = message.range(of: "' is invalid for '", options: .backwards)?.upperBound else {
            return "A value is invalid."
        }
        let rest = message[start...]
        let option = rest.prefix { $0 != "'" }
        guard isOurs(option) else { return "A value is invalid." }
        let known = rest.dropFirst(option.count + 1)
        return "The value is invalid for '\(option)'" + (known.hasPrefix(". Please provide one of ") ? known : ".")
    }

    /// Of a cluster of flags whose last one wants a value.
    private var missingValue: String? {
        guard let start = message.range(of: "or: Missing value for '", options: .backwards)?.upperBound else {
            return nil
        }
        let option = message[start...].prefix { $0 != "'" }
        return isOurs(option) ? "Missing value for '\(option)'" : nil
    }

    /// - Parameter synopsis: an option, which the name of its value may follow
    private func isOurs(_ synopsis: Substring) -> Bool {
        Self.optionNames.contains(String(synopsis.prefix { $0 != " " }))
    }

    /// Those that any command's help has.
    private static let optionNames: Set<String> = {
        let commands: [any ParsableCommand.Type] = [RequestCommand.self] + HttpcMain.configuration.subcommands
        return Set(
            commands.flatMap {
                $0.helpMessage().matches(of: /--?[A-Za-z][a-z0-9-]*(?:\.[0-9])?/).map { String($0.output) }
            })
    }()
}
