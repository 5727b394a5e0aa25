import ArgumentParser
import HttpC
import HttpCClient
import HttpCRelay
import HttpCTerminal
import HttpConvFormats
import Synchronization

/// `httpc relay`: a reverse proxy on this machine that logs in.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay", abstract: "Lends its logins to other programs: a local URL that stands for a server's.",
        usage: """
            httpc relay URL [options]
            httpc relay URL [options] -- program {url} ...
            """,
        discussion: """
            Prints a URL of this machine, and passes requests for it on to the URL, with the login of the profile that \
            matches. Only the user who started it can use it. A browser opens the URL once and is let in by a cookie. With \
            a program it runs only as long as that, and ends with its status; {url} stands for the local URL.
            """)

    @Argument(help: ArgumentHelp("The directory that the relay's / stands for.", valueName: "URL"))
    var url: String

    @Argument(
        parsing: .postTerminator,
        help: ArgumentHelp("A program to run, and its arguments, after --.", valueName: "program"))
    var program: [String] = []

    @Option(help: ArgumentHelp("The port of 127.0.0.1; otherwise a free one.", valueName: "number"))
    var port: Int?

    @Option(
        help: ArgumentHelp("Listens on a Unix socket that only you can open, and needs no secret.", valueName: "path"))
    var socket: String?

    @Option(help: ArgumentHelp("Ends after so many seconds without a request.", valueName: "seconds"))
    var idleTimeout: Double?

    @Flag(
        name: [.customShort("v"), .customLong("verbose")],
        help: "Tells what happens, step by step; -vv shows the heads of requests and answers, too. No secrets.")
    var verbose: Int

    @Flag(name: [.customShort("s"), .customLong("silent")], help: "No messages.")
    var silent = false

    @OptionGroup(title: "Login") var login: LoginOptions
    @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions
    @OptionGroup(title: "How the server is reached") var server: ServerOptions

    func validate() throws {
        if let port, !(1...65535).contains(port) { throw ValidationError("--port needs a number from 1 to 65535.") }
        if port != nil, socket != nil { throw ValidationError("--port and --socket exclude each other.") }
        try ServerOptions.check(idleTimeout, "--idle-timeout")
        if idleTimeout != nil, !program.isEmpty {
            throw ValidationError("--idle-timeout is for a relay without a program: that ends with its program.")
        }
    }

    func run() async throws {
        let diagnostics = Diagnostics(isSilent: silent, style: TerminalStyle(descriptor: 2), progress: nil)
        let ended = Mutex<Int32?>(nil)
        let noTranscripts = { () throws(CommandFailure) in
            try TranscriptFiles(archive: nil, page: nil, version: HttpcMain.version)
        }
        let status = await CommandRun.run(diagnostics, limit: server.maximumTime, transcripts: noTranscripts) { run in
            let argument = try URLArgument(url)
            let relay = try await RelayRun(plan(), settings(argument), user: argument.user, run)
            let status = try await relay.perform()
            ended.withLock { $0 = status }
            return .success
        }
        throw ExitCode(ended.withLock { $0 } ?? status)
    }

    private func plan() throws(CommandFailure) -> ClientPlan {
        var plan = try ClientPlan(login, certificate, web, server, nil)
        plan.verbose = verbose
        return plan
    }

    private func settings(_ argument: URLArgument) -> RelaySettings {
        var settings = RelaySettings(url: argument.target)
        settings.port = port ?? 0
        settings.socket = socket
        settings.idleLimit = idleTimeout.flatMap {
            PeerNumber.seconds($0, clampingTo: .zero ... .seconds(1_000_000_000))
        }
        settings.command = program
        return settings
    }
}
