/// Options of one letter, which curl lets stand together, the last one with its value: `-sSXpost`, `-bsid=x`.
///
/// The argument parser takes most of them for something else, so it is given them one by one.
enum ShortOptions {
    /// Those that take a value: all that follows in the same argument, else the next argument.
    static let withValue = Set("ACDEFHTUXbcdemoruwx".utf8)
    /// Those that take none.
    static let flags = Set("46GIJLNOSZfhiknsv".utf8)
    /// Long options of all commands with a value, which may look like a cluster. To ask the parser for them takes as long
    /// as half a run.
    static let longWithValue: Set<String> = [
        "--answer", "--answer-env", "--answer-file", "--answer-origin", "--answer-totp", "--ca-out", "--cacert",
        "--capath", "--cert", "--cert-origin", "--cert-type", "--certificates-out", "--config", "--connect-timeout",
        "--continue-at", "--cookie", "--cookie-jar", "--data", "--data-binary", "--data-raw", "--data-urlencode",
        "--dump-header", "--expand", "--expect100-timeout", "--filter", "--form", "--form-string", "--grant",
        "--har", "--header", "--if-match", "--json", "--key", "--limit-rate", "--max-filesize", "--max-redirs",
        "--max-time", "--netrc-file", "--new-passcode-env", "--new-passcode-file", "--noproxy", "--orderby", "--output",
        "--output-dir", "--parallel-max", "--pass", "--passcode-env", "--passcode-file", "--pinnedpubkey", "--port",
        "--profile", "--proxy", "--proxy-cacert", "--proxy-user", "--range", "--referer", "--request", "--resolve",
        "--retry", "--retry-delay", "--retry-max-time", "--select", "--skip", "--top", "--trace", "--unix-socket",
        "--upload-file", "--user", "--user-agent", "--web",
        "--write-out",
    ]

    /// The arguments with clusters taken apart. A cluster with a letter that is no option is left as it is.
    static func separated(_ arguments: [String]) -> [String] {
        var result: [String] = []
        var isValue = false
        for (index, argument) in arguments.enumerated() {
            if isValue {
                isValue = false
                result.append(argument)
            } else if argument == "--" {
                return result + arguments[index...]
            } else if argument.hasPrefix("--") {
                result.append(argument)
                isValue = longWithValue.contains(argument)
            } else {
                let parts: [String]
                (parts, isValue) = taken(apart: argument)
                result += parts
            }
        }
        return result
    }

    /// The index of the first argument that is neither an option nor an option's value, before any `--`.
    ///
    /// - Parameter arguments: with clusters taken apart
    static func firstWord(_ arguments: [String]) -> Int? {
        first(in: arguments) { !$0.hasPrefix("-") || $0 == "-" }
    }

    /// The index of the first argument that would be options of one letter, of which one is none.
    static func firstUnknown(_ arguments: [String]) -> Int? {
        first(in: arguments) { argument in
            guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return false }
            let letters = argument.utf8.dropFirst().prefix { !withValue.contains($0) }
            return letters.contains { !flags.contains($0) }
        }
    }

    /// The index of the first fitting argument that is no option's value, before any `--`.
    private static func first(in arguments: [String], where fits: (String) -> Bool) -> Int? {
        var isValue = false
        for (index, argument) in arguments.enumerated() {
            if isValue {
                isValue = false
                continue
            }
            if argument == "--" { return nil }
            if fits(argument) { return index }
            isValue =
                argument.hasPrefix("--") ? longWithValue.contains(argument) : taken(apart: argument).wantsValue
        }
        return nil
    }

    /// An argument's options, and whether the next argument is the value of the last one.
    private static func taken(apart argument: String) -> (parts: [String], wantsValue: Bool) {
        let bytes = Array(argument.utf8)
        guard bytes.first == UInt8(ascii: "-") else { return ([argument], false) }
        var parts: [String] = []
        for (index, letter) in bytes.enumerated().dropFirst() {
            guard withValue.contains(letter) || flags.contains(letter) else { return ([argument], false) }
            parts.append("-" + text([letter]))
            guard withValue.contains(letter) else { continue }
            let value = bytes[(index + 1)...]
            return (parts + (value.isEmpty ? [] : [text(value)]), value.isEmpty)
        }
        return (parts.isEmpty ? [argument] : parts, false)
    }

    private static func text(_ bytes: some Collection<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
