import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc logout`: ends a profile's logins: its tokens, at the server too, and its cookies.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Forgets a profile's tokens and cookies, and revokes the tokens at the server."
    )

    @OptionGroup var options: ProfileOptions

    func run() async throws {
        try await options.withProfile(allowsFormer: true) { plan, profile, target, run in
            try await ProfileLogout(plan, profile, for: target, run).perform()
        }
    }
}
