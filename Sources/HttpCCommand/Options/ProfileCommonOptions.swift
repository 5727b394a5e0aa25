import ArgumentParser

/// The options of every command about a profile, except for the profile's name.
struct ProfileCommonOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file"))
    var config: String?

    @Flag(
        name: .shortAndLong,
        help: .verbosity)
    var verbose: Int

    @Flag(name: .shortAndLong, help: "No messages, except where a person has to log in.")
    var silent = false

    @OptionGroup var transcripts: TranscriptOptions
    @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
    @OptionGroup var server: ServerOptions
}
