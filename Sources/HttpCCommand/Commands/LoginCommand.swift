import ArgumentParser
import Foundation
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc login`: gets a profile's tokens now.
struct LoginCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "login", abstract: "Logs in with a profile's OAuth2 and keeps the tokens for later requests.")

    @OptionGroup var options: ProfileOptions
    @OptionGroup(title: "How login pages are shown") var web: WebOptions

    @Option(
        help: ArgumentHelp(
            "code, device, password, client-credentials, jwt-bearer, saml2-bearer or token-exchange, rather than the profile's."
        ))
    var grant: OAuth2Login.Grant?

    func run() async throws {
        try await options.withTokens(grant: grant, web: web) { run in
            let (manager, tokens) = try await run.connect(run.state.tokens())
            let new = try await tokens.logIn(to: run.url, using: manager)
            let end = new.expiresAt.map { "until \($0.formatted(.iso8601))" } ?? "without a stated end"
            run.diagnostics.message(
                "logged in: the profile \"\(run.login.profile.name)\" has an access token \(end)"
                    + (new.refreshToken == nil ? "." : " and a refresh token."))
        }
    }
}

extension OAuth2Login.Grant: ExpressibleByArgument {}
