import HttpC
import HttpCTerminal

/// The unknown keys of a configuration that is checked as a whole.
final class UnknownKeys {
    var mistakes: [String] = []
}

/// A table of the configuration, which checks the types of its values and the names of its keys.
struct ConfigurationTable {
    private let table: TOMLTable
    private let name: String
    private let shownPath: String
    private let unknownKeys: UnknownKeys?

    /// - Parameter unknownKeys: collects unknown keys; nil if they are refused
    init(_ table: TOMLTable, name: String, shownPath: String, unknownKeys: UnknownKeys? = nil) {
        self.table = table
        self.name = name
        self.shownPath = shownPath
        self.unknownKeys = unknownKeys
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
            guard let unknownKeys else { throw mistake }
            unknownKeys.mistakes.append(mistake.message)
        }
    }

    func table(_ key: String) throws(CommandFailure) -> ConfigurationTable? {
        guard let value = table.members[key] else { return nil }
        guard case .table(let inner) = value else { throw wrongType(key, "a table") }
        return ConfigurationTable(
            inner, name: name.isEmpty ? key : "\(name).\(key)", shownPath: shownPath, unknownKeys: unknownKeys)
    }

    /// The table under a key; nil if the value is a string.
    func tableOrString(_ key: String) throws(CommandFailure) -> ConfigurationTable? {
        switch table.members[key] {
        case nil, .array?, .boolean?: throw wrongType(key, "a string or a table")
        case .string?: return nil
        case .table?: return try table(key)
        }
    }

    func string(_ key: String) throws(CommandFailure) -> String? {
        guard let value = table.members[key] else { return nil }
        guard case .string(let text) = value else { throw wrongType(key, "a string") }
        return text
    }

    func boolean(_ key: String) throws(CommandFailure) -> Bool? {
        guard let value = table.members[key] else { return nil }
        guard case .boolean(let value) = value else { throw wrongType(key, "true or false") }
        return value
    }

    /// The texts of a list; a single text counts as a list of one.
    func stringOrStrings(_ key: String) throws(CommandFailure) -> [String]? {
        if case .string(let text)? = table.members[key] { return [text] }
        return try strings(key)
    }

    func strings(_ key: String) throws(CommandFailure) -> [String]? {
        guard let value = table.members[key] else { return nil }
        guard case .array(let array) = value else { throw wrongType(key, "a list of strings") }
        var result: [String] = []
        for element in array {
            guard case .string(let text) = element else { throw wrongType(key, "a list of strings") }
            result.append(text)
        }
        return result
    }

    private func wrongType(_ key: String, _ wanted: String) -> CommandFailure {
        failure("\"\(TerminalText.sanitise(key))\" in \(shownName) has to be \(wanted).")
    }

    private func failure(_ message: String) -> CommandFailure {
        CommandFailure(.usage, "The configuration \(shownPath): \(message)")
    }
}
