import HttpCTerminal
import HttpConvFormats

/// Finds the sub-command among the arguments: the first word that is neither an option nor an option's value. `-o demo`
/// writes a file, and `https://demo/` names a host.
enum CommandWord {
    /// The meaning of the first word.
    enum Kind: Equatable {
        /// A sub-command: the arguments with its name at the front, followed by options that stood before it.
        case command([String])
        /// A word that is almost a sub-command and is not a usual host: the name that was meant.
        case mistyped(String)
        /// A URL, or no word at all.
        case none
    }

    /// - Parameters:
    ///   - arguments: the result of ``ShortOptions/separated(_:)``
    ///   - names: the sub-commands
    static func find(in arguments: [String], among names: [String]) -> Kind {
        guard let index = ShortOptions.firstWord(arguments) else { return .none }
        let word = arguments[index]
        if names.contains(word) {
            let rest = arguments[(index + 1)...]
            let end = rest.firstIndex(of: "--") ?? rest.endIndex
            return .command([word] + rest[..<end] + arguments[..<index] + rest[end...])
        }
        // The name of another host has a dot, a port or a path. Words with such characters are never taken for
        // mistakes.
        guard word.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }) else { return .none }
        return EditDistance.nearest(to: word, in: names).map { .mistyped($0) } ?? .none
    }
}
