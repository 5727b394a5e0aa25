import HttpC
import HttpCTerminal
import HttpConvFormats

/// A mistake in a profile file. No text of the file is quoted, because it may be a secret; only keys are named.
struct TOMLMistake: Error {
    enum Kind {
        case syntax
        case unquotedValue
        case tableList
        case key(String)
        case table(String, first: Int)
    }

    let kind: Kind
    let line: Int
    let column: Int

    /// The place of the mistake, and advice.
    var text: String {
        switch kind {
        case .syntax:
            " line \(line), column \(column): this is not TOML. Is a quote, a bracket or an equals sign missing?"
        case .unquotedValue:
            " line \(line), column \(column): put the value in quotes. "
                + "A profile has texts, lists of texts, true and false, and tables only."
        case .tableList: " line \(line): a profile has no lists of tables. Write one bracket at each side of the name."
        case .key(let name): " line \(line): \(Self.shown(name)) has a value already. Leave one of the two out."
        case .table(let name, let first):
            " line \(line): the table [\(TerminalText.sanitise(name))] is there already, in line \(first)."
                + " Put its keys under one heading."
        }
    }

    private static func shown(_ name: String) -> String {
        let isPlain = name.utf8.allSatisfy { $0.isAlphanumeric || $0 == 0x2D || $0 == 0x5F }
        return isPlain && (1...100).contains(name.utf8.count) ? "\"\(name)\"" : "the key"
    }
}
