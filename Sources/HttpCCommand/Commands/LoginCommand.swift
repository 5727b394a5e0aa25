import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal
import HttpConvPlatform

/// `httpc login`: logs in with a profile now.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Logs in with a profile now, and keeps its tokens and cookies for later requests.",
        discussion: """
            With OAuth2 it gets new tokens. With any other login it fetches the URL, else the first one of the profile's \
            match, and drops the answer.
            """)

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    @Option(help: "How the tokens are obtained, rather than by the profile's grant.")
    var grant: OAuth2Table.Grant?

    func run() async throws {
        try await options.withProfile(web: web) { plan, profile, target, run in
            guard !profile.hasTokens, grant == nil else { return try await getTokens(plan, profile, target, run) }
            guard profile.hasLogin else {
                throw CommandFailure(
                    .usage,
                    "The profile \"\(profile.name)\" has no login: see httpc help profiles, or run: \(ProfileCommand.initialise(in: plan.configuration))"
                )
            }
            let outcome = try await ProfileRequest(plan, profile, for: target, run).perform()
            run.diagnostics.message(outcome.words(profile.name))
        }
    }

    private func getTokens(
        _ plan: ClientPlan, _ profile: Profile, _ target: TargetURL?, _ run: CommandRun
    ) async throws {
        var plan = plan
        plan.profile = profile.name
        let tokenRun = try TokenRun(plan, for: target, grant: grant, run)
        guard tokenRun.oauth2.table.keepsTokens else {
            throw CommandFailure(
                .usage,
                "The profile \"\(profile.name)\" hands in an assertion or token, perhaps another person's each time, so its tokens are not kept: send a request instead."
            )
        }
        do {
            let (manager, tokens) = try await tokenRun.connect(tokenRun.state.tokens())
            let new = try await tokens.logIn(to: tokenRun.url, using: manager)
            let end = new.expiresAt.map { "until \($0.formatted(.iso8601))" } ?? "without a stated end"
            run.diagnostics.message(
                "logged in: the profile \"\(profile.name)\" has an access token \(end)"
                    + (new.refreshToken == nil ? "." : " and a refresh token."))
        } catch {
            throw CommandFailure(login: error, given: tokenRun.given)
        }
    }
}

extension OAuth2Table.Grant: ExpressibleByArgument {}
