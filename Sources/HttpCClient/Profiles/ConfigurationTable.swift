import HttpC
import HttpCTerminal

/// The mistakes of a configuration that is checked as a whole.
final class ConfigurationMistakes {
    private(set) var messages: [String] = []
    /// The number of mistakes that may cause further ones: an invalid value looks like a missing one.
    private(set) var primaryMistakes = 0

    func add(_ failure: CommandFailure, isPrimary: Bool) {
        if !messages.contains(failure.message) { messages.append(failure.message) }
        if isPrimary { primaryMistakes += 1 }
    }
}

/// A table of the configuration, which checks the types of its values and the names of its keys.
struct ConfigurationTable {
    private let table: TOMLTable
    private let name: String
    private let shownPath: String
    private let mistakes: ConfigurationMistakes?

    /// - Parameter mistakes: collects the mistakes; nil if the first one ends parsing
    init(_ table: TOMLTable, name: String, shownPath: String, mistakes: ConfigurationMistakes?) {
        self.table = table
        self.name = name
        self.shownPath = shownPath
        self.mistakes = mistakes
    }

    var keys: [String] { Array(table.members.keys) }
    var shownName: String { name.isEmpty ? "the top level" : "[\(TerminalText.sanitise(name))]" }

    /// Refuses unknown keys.
    func allow(_ known: [String]) throws(CommandFailure) {
        for key in keys.sorted() where !known.contains(key) {
            let hint = EditDistance.nearest(to: key, in: known).map { "; did you mean \"\($0)\"?" }
            let mistake = failure(
                "unknown key \"\(TerminalText.sanitise(key))\" in \(shownName)"
                    + (hint ?? "; known are \(known.joined(separator: ", "))."))
            guard let mistakes else { throw mistake }
            // A misspelt key is missing under its name.
            mistakes.add(mistake, isPrimary: hint != nil)
        }
    }

    func table(_ key: String) throws(CommandFailure) -> ConfigurationTable? {
        guard let value = table.members[key] else { return nil }
        guard case .table(let inner) = value else { return try refuse(key, "a table") }
        return ConfigurationTable(
            inner, name: name.isEmpty ? key : "\(name).\(key)", shownPath: shownPath, mistakes: mistakes)
    }

    /// The table under a key; nil if the value is a string.
    func tableOrString(_ key: String) throws(CommandFailure) -> ConfigurationTable? {
        switch table.members[key] {
        case nil, .array?, .boolean?: throw wrongType(key, "a string or a table")
        case .string?: return nil
        case .table?: return try table(key)
        }
    }

    /// Whether a key has a list without entries.
    func isEmptyList(_ key: String) -> Bool {
        if case .array(let array)? = table.members[key] { array.isEmpty } else { false }
    }

    func string(_ key: String) throws(CommandFailure) -> String? {
        guard let value = table.members[key] else { return nil }
        guard case .string(let text) = value else { return try refuse(key, "a string") }
        return text
    }

    func boolean(_ key: String) throws(CommandFailure) -> Bool? {
        guard let value = table.members[key] else { return nil }
        guard case .boolean(let value) = value else { return try refuse(key, "true or false") }
        return value
    }

    /// The texts of a list; a single text counts as a list of one.
    func stringOrStrings(_ key: String) throws(CommandFailure) -> [String]? {
        if case .string(let text)? = table.members[key] { return [text] }
        return try strings(key)
    }

    func strings(_ key: String) throws(CommandFailure) -> [String]? {
        guard let value = table.members[key] else { return nil }
        guard case .array(let array) = value else { return try refuse(key, "a list of strings") }
        var result: [String] = []
        for element in array {
            guard case .string(let text) = element else { return try refuse(key, "a list of strings") }
            result.append(text)
        }
        return result
    }

    /// Ends parsing, or collects the mistake; then the key counts as missing.
    private func refuse<Value>(_ key: String, _ wanted: String) throws(CommandFailure) -> Value? {
        let mistake = wrongType(key, wanted)
        guard let mistakes else { throw mistake }
        mistakes.add(mistake, isPrimary: true)
        return nil
    }

    private func wrongType(_ key: String, _ wanted: String) -> CommandFailure {
        failure("\"\(TerminalText.sanitise(key))\" in \(shownName) has to be \(wanted).")
    }

    private func failure(_ message: String) -> CommandFailure {
        CommandFailure(.usage, "The configuration \(shownPath): \(message)")
    }
}
