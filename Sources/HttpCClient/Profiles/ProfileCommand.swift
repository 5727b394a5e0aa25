import HttpCTerminal

/// Command lines about profiles, for messages: with the configuration file in use.
package enum ProfileCommand {
    /// - Parameters:
    ///   - words: the command, such as `login`, with its options
    ///   - configuration: the file of `--config`; nil for the usual one
    static func line(_ words: String, of profile: String, in configuration: String?) -> String {
        "\(program(configuration)) \(words) --profile \(profile)"
    }

    /// The command line that writes a profile.
    ///
    /// - Parameters:
    ///   - url: the URL to log in to, as a shell reads it
    ///   - configuration: the file of `--config`; nil for the usual one
    package static func initialise(_ url: String = "URL", in configuration: String?) -> String {
        "\(program(configuration)) init \(url)"
    }

    /// The command's name, with `--config` if it was given.
    static func program(_ configuration: String?) -> String {
        "httpc" + (configuration.map { " --config \(ShellWords.word($0, limit: 1000))" } ?? "")
    }
}

extension Profile {
    /// The command line about the profile, for messages.
    ///
    /// - Parameter words: the command, such as `login`, with its options
    package func commandLine(_ words: String) -> String {
        ProfileCommand.line(words, of: name, in: configuration)
    }
}
