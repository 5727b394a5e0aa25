import HttpConvFormats

/// Options of one letter, which curl permits in one argument, the last one with its value: `-sSXpost`, `-bsid=x`.
///
/// The argument parser misreads most of these arguments, so it gets each option as an argument of its own.
enum ShortOptions {
    /// The options with a value: the rest of the argument, else the next argument.
    static let withValue = Set("ACDEFHTUXbcdemoruwx".utf8)
    /// The options without a value.
    static let flags = Set("46GIJLNOSZfhiknsv".utf8)
    /// The long options with a value, of all commands: their values may look like clusters. Asking the parser for them
    /// takes longer than half a run.
    static let longWithValue: Set<String> = [
        "--account", "--answer", "--answer-env", "--answer-file", "--answer-origin", "--answer-totp", "--ca-out",
        "--cacert", "--capath", "--cert", "--cert-origin", "--cert-type", "--certificates-out", "--client-id",
        "--client-secret-env", "--config", "--connect-timeout", "--continue-at", "--cookie", "--cookie-jar", "--data",
        "--delegation", "--service-name",
        "--data-binary", "--data-raw", "--data-urlencode", "--dump-header", "--expand", "--expect100-timeout", "--fd",
        "--filter", "--form", "--form-string", "--grant", "--har", "--header", "--idle-timeout", "--if-match",
        "--issuer", "--json",
        "--key", "--limit-rate", "--match", "--max-filesize", "--max-redirs", "--max-time", "--mode", "--netrc-file",
        "--new-passcode-env", "--new-passcode-file", "--noproxy", "--orderby", "--output", "--output-dir",
        "--parallel-max", "--pass", "--passcode-env", "--passcode-file", "--password-command", "--password-env",
        "--password-file", "--password-keyring", "--pinnedpubkey", "--port", "--profile", "--proxy", "--proxy-cacert",
        "--proxy-user", "--range", "--referer", "--request", "--resolve", "--retry", "--retry-delay",
        "--retry-max-time", "--scopes", "--select", "--skip", "--socket", "--switch", "--top", "--trace",
        "--unix-socket",
        "--upload-file", "--user", "--user-agent", "--web", "--write-out",
    ]
    /// The long options without a value, of all commands.
    static let longFlags: Set<String> = [
        "--accept-login-page", "--access-token", "--all", "--anyauth", "--basic", "--check", "--choose", "--clobber",
        "--compressed", "--digest", "--events", "--fail", "--fail-with-body", "--get", "--head", "--header",
        "--headless", "--help", "--http1.1", "--http2", "--include", "--insecure", "--ipv4", "--ipv6", "--json",
        "--list", "--local", "--location", "--location-trusted", "--metadata", "--netrc", "--netrc-optional",
        "--negotiate", "--netscape", "--no-buffer", "--no-color", "--no-compressed", "--no-location", "--no-pretty",
        "--parallel",
        "--proxy-negotiate", "--remote-header-name", "--remote-name", "--remote-name-all", "--replace", "--show-error",
        "--silent",
        "--verbose", "--version", "--yes",
    ]
    /// The options of all commands, of one letter and long.
    static let names = longWithValue.union(longFlags).union((withValue.union(flags)).map { "-" + text([$0]) })

    /// Splits clusters into single options. A cluster with an unknown letter stays unchanged.
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
    /// - Parameter arguments: the arguments, with clusters split
    static func firstWord(_ arguments: [String]) -> Int? {
        first(in: arguments) { !$0.hasPrefix("-") || $0 == "-" }
    }

    /// The index of the first argument that looks like options of one letter and has an unknown one.
    static func firstUnknown(_ arguments: [String]) -> Int? {
        first(in: arguments) { argument in
            guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { return false }
            let letters = argument.utf8.dropFirst().prefix { !withValue.contains($0) }
            return letters.contains { !flags.contains($0) }
        }
    }

    /// The index of the first matching argument that is not an option's value, before any `--`.
    static func first(in arguments: [String], where fits: (String) -> Bool) -> Int? {
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

    /// An argument's options, and whether the next argument is the last one's value.
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
