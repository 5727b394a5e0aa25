import ArgumentParser
import HttpCClient
import HttpCTerminal
import HttpConvFormats

/// The account of a profile's logon.
struct AccountOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The account, rather than the selected one: httpc logon --list.", valueName: "name"),
        completion: CompletedAccounts.kind)
    var account: String?
}

/// The names of accounts that a shell's completion offers.
enum CompletedAccounts {
    /// The accounts of the named profile, else of all.
    ///
    /// Only names that are valid for profiles are offered, so that no text of a file can act on a terminal or a shell.
    static let kind = CompletionKind.custom { words, _, _ in names(words) }

    private static func names(_ words: [String]) -> [String] {
        let names = profiles(words).flatMap { (try? ProfileAccounts(of: $0))?.names ?? [] }
        return Set(names.filter { ProfileName.isValid($0) && !$0.hasPrefix("-") }).sorted()
    }

    private static func profiles(_ words: [String]) -> [String] {
        guard let index = words.lastIndex(where: { $0 == "--profile" || $0.hasPrefix("--profile=") }) else {
            return StateDirectory.profiles()
        }
        let name = words[index].cut(atASCII: "=").map { String($0.after) } ?? words.dropFirst(index + 1).first
        return name.flatMap { ProfileName.isValid($0) ? [$0] : nil } ?? []
    }
}
