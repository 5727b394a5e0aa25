import ArgumentParser

/// The options about servers and logins for commands of OData, the same as those of requests.
struct ODataConnectionOptions: ParsableArguments {
    @OptionGroup(title: "Who asks") var login: LoginOptions
    @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions
    @OptionGroup(title: "How the server is reached") var server: ServerOptions
    @OptionGroup(title: "How the server is reached") var connection: ConnectionOptions

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: "Tells what happens, step by step; -vv shows the heads of requests and answers, too. No secrets.")
    var verbose: Int

    @OptionGroup var transcripts: TranscriptOptions

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "No messages.")
    var silent = false

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A header field of all requests, such as 'sap-language: EN'.", valueName: "name: value"))
    var headers: [String] = []

    /// The request with these options, which sets up connections and logins.
    func request(_ url: String) throws(CommandFailure) -> RequestCommand {
        guard var command = try? RequestCommand.parse(["--", url]) else {
            throw CommandFailure(.malformedURL, "The service's address cannot be used.")
        }
        command.login = login
        command.certificate = certificate
        command.web = web
        command.server = server
        command.connection = connection
        command.request.headers = headers
        command.output.verbose = verbose
        command.output.silent = silent
        command.transcripts = transcripts
        return command
    }
}
