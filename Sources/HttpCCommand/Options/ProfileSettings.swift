import ArgumentParser

/// The options of every command about a profile: its name, and the way to its servers.
struct ProfileSettings: ParsableArguments {
    @Option(
        help: ArgumentHelp("The profile, rather than the longest match of the URL.", valueName: "name"),
        completion: CompletedProfiles.kind)
    var profile: String?

    @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file"))
    var config: String?

    @Flag(
        name: .shortAndLong,
        help: "Tells what happens, step by step; -vv shows the heads of requests and answers, too. No secrets.")
    var verbose: Int

    @Flag(name: .shortAndLong, help: "No messages, except where a person has to log in.")
    var silent = false

    @OptionGroup var transcripts: TranscriptOptions
    @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
    @OptionGroup var server: ServerOptions
}
