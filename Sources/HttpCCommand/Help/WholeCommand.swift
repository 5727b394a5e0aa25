import ArgumentParser

/// Request and sub-commands as one grammar, for completions and the man page. It is never parsed, because a URL and the
/// name of a sub-command stand in the same place.
struct WholeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "httpc", abstract: RequestCommand.configuration.abstract, version: HttpcMain.version,
        subcommands: HttpcMain.configuration.subcommands)

    @OptionGroup var request: RequestCommand
}
