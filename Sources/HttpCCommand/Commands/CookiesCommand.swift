import ArgumentParser
import Foundation
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc cookies`: the stored cookies of a profile.
struct CookiesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cookies", abstract: "Lists or clears the cookies that are kept for a profile.",
        subcommands: [List.self, Clear.self])

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
