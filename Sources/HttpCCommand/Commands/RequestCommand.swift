import ArgumentParser
import HttpCClient
import HttpCTerminal
import HttpConvPlatform
import NIOCore

/// `httpc [options] URL`: the command if the first word is not a sub-command.
struct RequestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "httpc",
        abstract: "Fetches a resource, and logs in by itself on the way.",
        usage: """
            httpc [options] URL ...
            httpc COMMAND [options]
            httpc help [options|logins|profiles|examples|verbose|exit-codes|files]
            httpc help COMMAND
            """,
        version: HttpcMain.version)

    @Argument(
        help: ArgumentHelp(
            "The URL to fetch; https if it names no scheme. Several are fetched one after the other.", valueName: "URL")
    )
    var urls: [String]

    // The groups are side by side rather than nested: in debug builds the parser checks nested ones again at every
    // level.
    @OptionGroup(title: "What is sent") var request: RequestOptions
    @OptionGroup(title: "What is sent") var body: BodyOptions
    @OptionGroup(title: "Login") var login: LoginOptions
    @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions
    @OptionGroup(title: "What is shown") var files: FileOptions
    @OptionGroup(title: "What is shown") var transcripts: TranscriptOptions
    @OptionGroup(title: "What is shown") var output: OutputOptions
    @OptionGroup(title: "How much, how fast, how often") var transfers: TransferOptions
    @OptionGroup(title: "How the server is reached") var server: ServerOptions
    @OptionGroup(title: "How the server is reached") var connection: ConnectionOptions

    /// Refuses surplus words, such as half of an unquoted password, before they are looked up as servers' names.
    func validate() throws {
        guard urls.count > 1, !urls.allSatisfy({ $0.contains("://") }) else { return }
        throw ValidationError(Self.tooManyArguments)
    }

    static let tooManyArguments =
        "There are more arguments than one URL takes, and not each of them begins with https:// or http://. Quote what has spaces or an & in it."

    func run() async throws {
        // One transfer at a time needs one event loop. Each has a thread.
        if !transfers.isParallel { NIOSingletons.groupLoopCountSuggestion = 1 }
        let bodyIsSeen = !files.areFiles(urls.count) && isatty(1) != 0
        let showsProgress = !output.silent && isatty(2) != 0 && (!bodyIsSeen || !body.uploads.isEmpty)
        let diagnostics = Diagnostics(
            isSilent: output.silent && !output.showErrors, omitsNotices: output.silent,
            style: output.style(descriptor: 2),
            progress: showsProgress ? ProgressBar(transfers: urls.count) : nil)
        let status = await CommandRun.run(diagnostics, limit: server.timeLimit, transcripts: transcripts.files) {
            run in
            try await Transfers(RequestPlan(self), run).perform()
        }
        throw ExitCode(status)
    }
}
