import ArgumentParser
import HttpC
import HttpCClient
import HttpCRelay
import HttpCTerminal
import HttpConvFormats
import HttpConvPlatform
import Synchronization

/// `httpc relay`: a reverse proxy on this machine that logs in.
struct RelayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "relay",
        abstract: "Gives other programs a local URL for a server, with the login of the matching profile.",
        usage: """
            httpc relay URL [options]
            httpc relay URL [options] -- program {url} ...
            httpc relay start URL ... [options]
            httpc relay status
            httpc relay stop [URL ...]
            """,
        discussion: """
            Prints a URL of this machine, and passes requests for it on to the URL, with the login of the profile that \
            matches. Only the user who started it can use it. A browser opens the URL once and is let in by a cookie. With \
            a program it runs only as long as that, and ends with its status; {url} stands for the local URL. With start it \
            runs in the background.
            """, subcommands: [Run.self, Start.self, Status.self, Stop.self, Serve.self], defaultSubcommand: Run.self)

    /// The options of every relay.
    struct Options: ParsableArguments {
        @Option(
            help: ArgumentHelp("The port of 127.0.0.1, one for each URL; default: free ports.", valueName: "number"))
        var port: [Int] = []

        @Option(
            help: ArgumentHelp(
                "Listens on a Unix socket that only you can open, and needs no secret; one for each URL.",
                valueName: "path"))
        var socket: [String] = []

        @Option(help: ArgumentHelp("Ends after so many seconds without a request.", valueName: "seconds"))
        var idleTimeout: Double?

        @Flag(
            name: [.customShort("v"), .customLong("verbose")],
            help: .verbosity)
        var verbose: Int

        @Flag(name: [.customShort("s"), .customLong("silent")], help: "No messages.")
        var silent = false

        @OptionGroup(title: "Login") var login: LoginOptions
        @OptionGroup(title: "Client certificates") var certificate: CertificateOptions
        @OptionGroup(title: "How login pages are shown") var web: WebOptions
        @OptionGroup(title: "How the server is reached") var server: ServerOptions

        func check(_ urls: [String]) throws {
            guard port.allSatisfy({ (1...65535).contains($0) }) else {
                throw ValidationError("--port needs a number from 1 to 65535.")
            }
            guard port.isEmpty || socket.isEmpty else {
                throw ValidationError("--port and --socket exclude each other.")
            }
            for (name, count) in [("--port", port.count), ("--socket", socket.count)] where count > 0 {
                guard count == urls.count else { throw ValidationError("Give one \(name) for each URL, or none.") }
            }
            try ServerOptions.check(idleTimeout, "--idle-timeout", allowsZero: false)
        }

        func settings(_ urls: [String]) throws(CommandFailure) -> RelaySettings {
            var targets: [RelaySettings.Target] = []
            for (index, url) in urls.enumerated() {
                var target = RelaySettings.Target(try URLArgument(url))
                if !port.isEmpty { target.port = port[index] }
                if !socket.isEmpty {
                    // Absolute, so that it can be used in other directories as well.
                    target.socket = URL(exactPath: socket[index]).path(percentEncoded: false)
                }
                targets.append(target)
            }
            var settings = RelaySettings(targets: targets)
            settings.idleLimit = idleTimeout.flatMap {
                PeerNumber.seconds($0, clampingTo: .zero ... .seconds(1_000_000_000))
            }
            return settings
        }

        func plan() throws(CommandFailure) -> ClientPlan {
            var plan = try ClientPlan(login, certificate, web, server, nil)
            plan.connection.silence = nil
            plan.verbose = verbose
            return plan
        }

        /// Runs work that reports failures to the person.
        func withRun(_ work: @escaping @Sendable (CommandRun) async throws -> Int32?) async throws {
            let diagnostics = Diagnostics(isSilent: silent, style: TerminalStyle(descriptor: 2), progress: nil)
            let ended = Mutex<Int32?>(nil)
            let noTranscripts = { () throws(CommandFailure) in
                try TranscriptFiles(archive: nil, page: nil, version: HttpcMain.version)
            }
            let status = await CommandRun.run(diagnostics, limit: server.timeLimit, transcripts: noTranscripts) {
                run in
                let status = try await work(run)
                ended.withLock { $0 = status }
                return .success
            }
            // After --max-time the program was ended, and the message names that status.
            throw ExitCode(Interruption.shared.isTimeOver ? status : ended.withLock { $0 } ?? status)
        }
    }

    /// `httpc relay URL`: in the foreground.
    struct Run: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "run", abstract: "Runs until Ctrl-C, or as long as a program. The word may be left out.")

        @Argument(help: ArgumentHelp("The directory that the relay's / stands for.", valueName: "URL"))
        var url: String

        @Argument(
            parsing: .postTerminator,
            help: ArgumentHelp("A program to run, and its arguments, after --.", valueName: "program"))
        var program: [String] = []

        @OptionGroup var options: Options

        func validate() throws {
            try options.check([url])
            if options.idleTimeout != nil, !program.isEmpty {
                throw ValidationError("--idle-timeout is for a relay without a program: that ends with its program.")
            }
        }

        func run() async throws {
            try await options.withRun { run in
                var settings = try options.settings([url])
                settings.command = program
                // A program would inherit the limit, and may fail with numbers that select(2) does not know.
                if program.isEmpty { OpenFiles.raiseLimit() }
                settings.descriptors = ResourceLimit.descriptorCount
                return try await RelayRun(options.plan(), settings, run).perform()
            }
        }
    }

    /// `httpc relay start`: in the background.
    struct Start: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "start", abstract: "Starts relays in the background, and prints their local URLs.",
            discussion: """
                It returns when they accept connections. They cannot ask at the terminal: for a login that needs a person, \
                run httpc login before, or name the places of passwords in the profile.
                """)

        @Argument(help: ArgumentHelp("The directories that the relays' / stand for.", valueName: "URL"))
        var urls: [String]

        @OptionGroup var options: Options

        func validate() throws { try options.check(urls) }

        func run() async throws {
            let words = HttpcMain.wordsAfter(["relay", "start"])
            // Otherwise the words after -- would be further URLs.
            guard !words.contains("--") else {
                throw CommandFailure(
                    .usage, "relay start runs no program: leave out start, or leave out -- and what follows it.")
            }
            // Wrong URLs are told before anything is started.
            _ = try options.settings(urls)
            let status = try await RelayStart.perform(
                ["relay", Serve.configuration.commandName ?? ""], words: words, count: urls.count)
            throw ExitCode(status)
        }
    }

    /// The process that `httpc relay start` starts.
    struct Serve: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "serve", abstract: "The process of httpc relay start.", shouldDisplay: false)

        func run() async throws {
            let words = try RelayStart.receivedWords()
            let start = try Start.parse(words)
            let (urls, options) = (start.urls, start.options)
            try await options.withRun { run in
                var settings = try options.settings(urls)
                settings.grace = RelayRecord.grace
                OpenFiles.raiseLimit()
                settings.descriptors = ResourceLimit.descriptorCount
                var plan = try options.plan()
                plan.web.isUnwatched = true
                try await RelayRun(plan, settings, run).perform { urls throws(CommandFailure) in
                    try RelayStart.announce(urls)
                }
                return nil
            }
        }
    }

    /// `httpc relay status`.
    struct Status: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "status", abstract: "Lists the relays in the background, with their local URLs.",
            discussion: "\"elsewhere\": on another machine, or in another container, that has the same home directory.")

        func run() async throws {
            let rows = try RelayRecord.all().flatMap { record in
                let process = "\(record.identifier)\(record.isElsewhere ? " elsewhere" : "")"
                return record.entries.map { [$0.local, TerminalText.sanitise($0.target), process] }
            }
            guard !rows.isEmpty else { return Diagnostics.write("httpc: no relay runs in the background.") }
            try TextTable.print(["LOCAL", "TARGET", "PROCESS"], rows)
        }
    }

    /// `httpc relay stop`.
    struct Stop: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "stop", abstract: "Ends relays in the background, after their open requests.",
            discussion: "Relays that were started together end together. Requests have ten seconds to finish.")

        @Argument(
            help: ArgumentHelp("The URLs that the relays stand for, or local ones; without any, all.", valueName: "URL")
        )
        var urls: [String] = []

        func run() async throws {
            let records = try RelayRecord.all()
            for url in urls where !records.contains(where: { $0.serves(url) }) {
                throw CommandFailure(
                    .usage,
                    "No relay in the background is for \(TerminalText.sanitise(url)). httpc relay status lists them.")
            }
            // A relay that runs elsewhere is an error only if no relay here is for its URL.
            let here = records.filter { !$0.isElsewhere }
            let only = urls.filter { url in !here.contains { $0.serves(url) } }
            let named = here.filter { record in urls.contains { record.serves($0) } }
            let ended = urls.isEmpty ? here : named + records.filter { record in only.contains { record.serves($0) } }
            guard !ended.isEmpty else { return Diagnostics.write("httpc: no relay runs in the background.") }
            for record in ended { try await record.stop() }
        }
    }
}
