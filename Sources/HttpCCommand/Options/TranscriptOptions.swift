import ArgumentParser
import HttpCClient
import HttpCTerminal

/// The transcripts of conversations, for people and their tools.
struct TranscriptOptions: ParsableArguments {
    @Option(
        name: .customLong("har"),
        help: ArgumentHelp(
            "Writes every exchange, without secrets and bodies, to a file that browsers' tools open (HAR 1.2).",
            valueName: "file"))
    var archive: String?

    @Option(
        name: .customLong("trace"),
        help: ArgumentHelp(
            "Writes a page with a sequence diagram of the exchanges, without secrets, to look at in a browser.",
            valueName: "file.html"))
    var page: String?

    /// The options with the files they name.
    var named: [(option: String, path: String?)] { [("--har", archive), ("--trace", page)] }

    /// The files of --har and --trace.
    ///
    /// - Throws: a usage failure if both are the same file, or if one is standard output
    func files() throws(CommandFailure) -> TranscriptFiles {
        try TranscriptFiles(archive: archive, page: page, version: HttpcMain.version)
    }
}
