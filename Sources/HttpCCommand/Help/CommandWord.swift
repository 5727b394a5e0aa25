/// Finds the sub-command among the arguments: the first word that is no option and no option's value. `-o demo` writes a
/// file, `https://demo/` asks a host.
enum CommandWord {
    /// What the first word is.
    enum Kind: Equatable {
        /// A sub-command; the arguments with it at the front, and the options that stood before it behind it.
        case command([String])
        /// All but the name of one, and no host's name that anybody has: the name that was meant.
        case mistyped(String)
        /// None: a URL.
        case none
    }

    /// - Parameters:
    ///   - arguments: as ``ShortOptions/separated(_:)`` makes them
    ///   - names: the sub-commands
    static func find(in arguments: [String], among names: [String]) -> Kind {
        guard let index = ShortOptions.firstWord(arguments) else { return .none }
        let word = arguments[index]
        if names.contains(word) {
            let rest = arguments[(index + 1)...]
            let end = rest.firstIndex(of: "--") ?? rest.endIndex
            return .command([word] + rest[..<end] + arguments[..<index] + rest[end...])
        }
        // A host of another machine has a dot, a port or a path; nothing else is taken for a mistake.
        guard word.utf8.allSatisfy({ (0x61...0x7A).contains($0) || $0 == UInt8(ascii: "-") }) else { return .none }
        return EditDistance.nearest(to: word, in: names).map { .mistyped($0) } ?? .none
    }
}
