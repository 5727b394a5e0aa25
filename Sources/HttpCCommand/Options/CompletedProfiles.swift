import ArgumentParser
import HttpCClient
import HttpConvFormats

/// The names of profiles that a shell's completion offers.
enum CompletedProfiles {
    /// The profiles of the named configuration, else of the usual one, and those that have state.
    ///
    /// Only valid names are offered, so that no text of a file can act on a terminal or a shell.
    static let kind = CompletionKind.custom { words, _, _ in names(words) }

    static func names(_ words: [String]) -> [String] {
        let file = try? ConfigurationFile.load(configuration(words))
        let names = (file?.profiles ?? []).map(\.name) + StateDirectory.profiles()
        // A name that looks like an option is not offered.
        return Set(names.filter { ProfileName.isValid($0) && !$0.hasPrefix("-") }).sorted()
    }

    private static func configuration(_ words: [String]) -> String? {
        guard let index = words.lastIndex(where: { $0 == "--config" || $0.hasPrefix("--config=") }) else { return nil }
        if let joined = words[index].cut(atASCII: "=") { return String(joined.after) }
        return words.indices.contains(index + 1) ? words[index + 1] : nil
    }
}
