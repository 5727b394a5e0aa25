import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform
import HttpConvVaultStorage

/// `httpc tokens`: the stored tokens without their values, or one access token for another program.
struct TokensCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tokens", abstract: "Lists the tokens that are kept, without their values.")

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Prints the profile's access token and nothing else, renewed if it is about to expire.")
    var accessToken = false

    @Flag(help: "Prints the field that carries the access token, for curl -H @-; never to a terminal.")
    var header = false

    func validate() throws {
        guard !accessToken || !header else {
            throw ValidationError("--access-token and --header exclude each other: both print the token.")
        }
    }

    func run() async throws {
        if header { try SecretOutput.requireNoTerminal("The line with the access token") }
        guard accessToken || header else { return try await list() }
        try await options.withTokens { run in
            let token = try await run.usableTokens().accessToken
            try StandardOutput.print((header ? "Authorization: Bearer " : "") + token.value + "\n")
        }
    }

    // MARK: The list

    private func list() async throws {
        var rows: [[String]] = []
        var failure: CommandFailure?
        for profile in try profiles() {
            do throws(CommandFailure) { rows += try await Self.rows(profile) } catch {
                Diagnostics.write("httpc: (\(error.status.rawValue)) \(error.message)")
                failure = failure ?? error
            }
        }
        if rows.isEmpty, failure == nil, !options.silent { Diagnostics.write("httpc: there are no tokens.") }
        try TextTable.print(["PROFILE", "FOR", "SERVER AND CLIENT", "EXPIRES", "SCOPES", "REFRESH"], rows)
        if let failure { throw ExitCode(failure.status.rawValue) }
    }

    /// The profile that the arguments name, else all that have state.
    private func profiles() throws -> [String] {
        if options.url == nil, options.profile == nil { return StateDirectory.profiles() }
        if options.url == nil, let name = options.profile {
            try ProfileChoice.requireKnown(name, config: options.config)
            return [name]
        }
        let target = try options.url.map { try URLArgument($0).target }
        return [
            try ProfileChoice.chooseLogin(
                options.profile, for: target, from: try ConfigurationFile.load(options.config)
            ).name
        ]
    }

    private static func rows(_ profile: String) async throws(CommandFailure) -> [[String]] {
        guard let storage = try await ProfileState(profile: profile).existingTokens() else { return [] }
        do {
            var rows: [[String]] = []
            for key in try await storage.keys().sorted(by: { $0.text < $1.text }) {
                guard let tokens = try await storage.tokens(for: key) else { continue }
                rows.append([profile] + row(key, tokens))
            }
            return rows
        } catch {
            throw CommandFailure(login: error)
        }
    }

    private static func row(_ key: OAuth2TokenKey, _ tokens: OAuth2Tokens) -> [String] {
        [
            TerminalText.sanitise("\(key.storageURL)", limit: 100), TerminalText.sanitise(key.supportName, limit: 100),
            tokens.expiresAt.map { $0 > Date() ? $0.formatted(.iso8601) : "expired" } ?? "unknown",
            TerminalText.sanitise(tokens.scopes?.joined(separator: " ") ?? "as asked", limit: 60),
            tokens.refreshToken == nil ? "no" : "yes",
        ]
    }
}
