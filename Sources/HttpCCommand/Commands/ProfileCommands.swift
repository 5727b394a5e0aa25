import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// `httpc profiles`: the profiles and what they are for.
struct ProfilesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "profiles", abstract: "Lists the profiles, the URLs that they match, and their logins.")

    @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file")) var config: String?

    func run() throws {
        let file = try ConfigurationFile.load(config)
        guard !file.profiles.isEmpty else {
            return Diagnostics.write(
                "httpc: there is no profile in \(file.shownPath): \(file.initialise()) writes one.")
        }
        let rows = file.profiles.map { profile in
            let match = profile.matchWords.map { TerminalText.sanitise($0, limit: 100) }
            return [
                profile.name, match.isEmpty ? "--profile \(profile.name)" : match.joined(separator: " "),
                profile.loginWords.isEmpty ? "none" : profile.loginWords.joined(separator: ", "),
            ]
        }
        try TextTable.print(["PROFILE", "MATCH", "LOGIN"], rows)
    }
}

/// `httpc status`: whether the profiles are logged in.
struct StatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status", abstract: "Shows whether profiles are logged in, as far as this machine knows it.",
        discussion: "No server is asked, except with --check, which needs one profile: --profile, or a URL of it.")

    @OptionGroup var options: ProfileOptions

    @Flag(help: "Asks the server, with the stored session and passwords. No login begins that needs a person.")
    var check = false

    func run() async throws {
        guard !check else { return try await ask() }
        var rows: [[String]] = []
        var failure: CommandFailure?
        for profile in try profiles() {
            do throws(CommandFailure) { rows += try await ProfileStatus.rows(profile) } catch {
                Diagnostics.write("httpc: (\(error.status.rawValue)) \(error.message)")
                failure = failure ?? error
            }
        }
        if rows.isEmpty, failure == nil, !options.silent { Diagnostics.write("httpc: there are no profiles.") }
        try TextTable.print(["PROFILE", "LOGIN", "STATE"], rows)
        if let failure { throw ExitCode(failure.status.rawValue) }
    }

    /// The profile that the arguments name, else all.
    private func profiles() throws -> [Profile] {
        let file = try ConfigurationFile.load(options.config)
        guard options.url != nil || options.profile != nil else { return file.profiles }
        let target = try options.url.map { try URLArgument($0).target }
        return [try ProfileChoice.chooseLogin(options.profile, for: target, from: file)]
    }

    private func ask() async throws {
        try await options.withProfile { plan, profile, target, run in
            var plan = plan
            plan.web.kind = Profile.ViewerChoice.none
            plan.web.isUnwatched = true
            let outcome = try await ProfileRequest(plan, profile, for: target, run).perform()
            run.diagnostics.message(outcome.words(profile.name))
        }
    }
}

/// `httpc config`: the configuration file.
struct ConfigCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config", abstract: "Checks the configuration file.", subcommands: [Check.self])

    /// `httpc config check`.
    struct Check: ParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "check",
            abstract: "Finds unknown keys, patterns that never match, overlaps, and secrets that others can read.",
            discussion: "Asks no server. Ends with 2 if something cannot work, with 0 after remarks.")

        @Option(help: ArgumentHelp("The configuration file with the profiles.", valueName: "file")) var config: String?

        func run() throws {
            let check = try ConfigurationCheck(config)
            let path = check.path.map { TerminalText.sanitise($0) } ?? "the configuration"
            for finding in check.findings {
                try StandardOutput.print((finding.isMistake ? "mistake  " : "remark   ") + finding.text + "\n")
            }
            let mistakes = check.findings.filter(\.isMistake).count
            let count = check.profileCount == 1 ? "1 profile" : "\(check.profileCount) profiles"
            Diagnostics.write(
                "httpc: \(path): \(count), \(mistakes == 1 ? "1 mistake" : "\(mistakes) mistakes").")
            if mistakes > 0 { throw ExitCode(ExitStatus.usage.rawValue) }
        }
    }
}

extension ProfileRequest.Outcome {
    /// The message about a login, for people.
    func words(_ profile: String) -> String {
        let place = "\(url.originInMessages) answered \(code)"
        guard !logins.isEmpty else {
            // An error does not show that there is a session.
            let login = code < 400 ? "no new login was needed" : "no login took place"
            return "\(place) with the profile \"\(profile)\"; \(login)."
        }
        return "logged in: \(place) with the profile \"\(profile)\" (\(logins.joined(separator: ", ")))."
    }
}
