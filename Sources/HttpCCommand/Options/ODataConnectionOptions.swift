import ArgumentParser
import HttpCClient
import HttpCTerminal
import ODataOnline

/// The options about servers and logins for commands of OData, the same as those of requests.
struct ODataConnectionOptions: ParsableArguments {
    @OptionGroup(title: "Login") var login: LoginOptions
    @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions
    @OptionGroup(title: "How the server is reached") var server: ServerOptions
    @OptionGroup(title: "How the server is reached") var connection: ConnectionOptions

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: .verbosity)
    var verbose: Int

    @OptionGroup var transcripts: TranscriptOptions

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "No messages.")
    var silent = false

    @Option(
        name: [.customShort("H", allowingJoined: true), .customLong("header")], parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A header field of all requests, such as 'sap-language: EN'.", valueName: "name: value"))
    var headers: [String] = []

    /// Opens the service, does the work, and ends with the exit status.
    func run(
        _ address: ODataAddress, _ body: @escaping @Sendable (ODataStore, _ path: String?) async throws -> Void
    ) async throws {
        let diagnostics = Diagnostics(isSilent: silent, style: TerminalStyle(descriptor: 2), progress: nil)
        let hasLimit = server.timeLimit != nil
        let status = await CommandRun.run(diagnostics, limit: server.timeLimit, transcripts: transcripts.files) {
            run in
            let transfers = try await Transfers(RequestPlan(self, address.url), run)
            return await transfers.openService(address, hasTimeLimit: hasLimit, body)
        }
        throw ExitCode(status)
    }
}
