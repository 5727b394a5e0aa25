import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// `httpc cookies`: the stored cookies of a profile.
struct CookiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies", abstract: "Lists, clears or exports the cookies that are kept for a profile.",
        subcommands: [List.self, Clear.self, Export.self], defaultSubcommand: Export.self)

    /// `httpc cookies export`, or `httpc cookies --netscape`.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Logs in where needed, and writes the cookies for one server, for another program.",
            discussion: "httpc cookies --netscape --output jar https://sp.example.com/ && wget --load-cookies jar …")

        @Flag(help: "In Netscape's format, which wget, curl and others read.")
        var netscape = false
        @Option(name: .shortAndLong, help: ArgumentHelp("A file that only you can read.", valueName: "file"))
        var output: String?
        @Option(help: ArgumentHelp("A pipe or file that the starting program has opened.", valueName: "number"))
        var fd: Int32?
        @OptionGroup var options: ProfileOptions
        @OptionGroup(title: "How login pages are shown") var web: WebOptions

        func run() async throws {
            guard netscape else {
                throw CommandFailure(
                    .usage,
                    "Add --netscape: it is the format of the cookies. httpc cookies list PROFILE shows which ones there are."
                )
            }
            guard (output == nil) != (fd == nil), output != "-" else {
                throw CommandFailure(.usage, "Say where the cookies go: --output FILE or --fd NUMBER.")
            }
            let descriptor = try fd.map { number throws(CommandFailure) in try InheritedDescriptor(number) }
            let output = output
            try await options.withProfile(web: web) { plan, profile, target, run in
                let text = try await CookieExport(plan, profile, for: target, run).perform()
                if let output { try await OutputFile.write(text, to: output, isPrivate: true) }
                try descriptor?.write(text)
            }
        }
    }

    /// `httpc cookies list PROFILE`.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "list", abstract: "Lists the cookies of a profile, without their values.")

        @Argument(help: "The name of the profile.", completion: CompletedProfiles.kind) var profile: String
        @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file")) var config: String?

        func run() async throws {
            // The name is a directory's, so it must not lead out of the state directory.
            try ProfileChoice.requireKnown(profile, config: config)
            guard let snapshot = try await ProfileCookies.stored(of: profile) else {
                return Diagnostics.write("httpc: there are no cookies of the profile \"\(profile)\".")
            }
            let rows = snapshot.cookies.map { cookie in
                [
                    TerminalText.sanitise(cookie.name, limit: 40),
                    (cookie.isHostOnly ? "" : "*.") + cookie.domain, TerminalText.sanitise(cookie.path, limit: 40),
                    cookie.expires.map { $0.formatted(.iso8601) } ?? "session",
                    [cookie.isSecure ? "secure" : "", cookie.isHttpOnly ? "http-only" : ""].filter { !$0.isEmpty }
                        .joined(separator: " "),
                ]
            }
            try TextTable.print(["NAME", "DOMAIN", "PATH", "EXPIRES", ""], rows)
        }
    }

    /// `httpc cookies clear PROFILE`.
    struct Clear: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "clear", abstract: "Forgets every cookie of a profile.")

        @Argument(help: "The name of the profile.", completion: CompletedProfiles.kind) var profile: String
        @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file")) var config: String?

        func run() async throws {
            // The name is a directory's, so it must not lead out of the state directory.
            try ProfileChoice.requireKnown(profile, config: config)
            try await ProfileCookies.clear(of: profile)
        }
    }
}
