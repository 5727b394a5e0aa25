import ArgumentParser
import HttpC
import HttpCClient
import HttpCTerminal

/// `httpc logout`: ends a profile's tokens, at the server too.
struct LogoutCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "logout", abstract: "Revokes a profile's tokens at the server and forgets them.")

    @OptionGroup var options: ProfileOptions

    func run() async throws {
        try await options.withTokens() { run in
            let name = run.login.profile.name
            guard let storage = try await run.state.existingTokens() else {
                return run.diagnostics.message("there are no tokens of the profile \"\(name)\".")
            }
            let (manager, tokens) = try await run.connect(storage)
            do {
                run.diagnostics.message(Self.text(try await tokens.logOut(from: run.url, using: manager), name))
            } catch {
                // The library removes the tokens first, so a later error is about the server alone.
                guard try await tokens.tokens(for: run.url) == nil else { throw error }
                let failure = CommandFailure(login: error, given: run.given)
                throw CommandFailure(failure.status, Self.warning(failure.message, name))
            }
        }
    }

    private static func text(_ outcome: OAuth2LogOut, _ name: String) -> String {
        switch outcome {
        case .nothingStored: "there are no tokens of the profile \"\(name)\"."
        case .revoked: "logged out: the tokens of the profile \"\(name)\" are revoked at the server and removed here."
        case .sessionEnded:
            "logged out: the tokens of the profile \"\(name)\" are revoked at the server and removed here, and the "
                + "session there is ended."
        case .notRevocable:
            "the tokens of the profile \"\(name)\" are removed here. No revocation endpoint is known: at the server "
                + "they stay valid until they expire."
        }
    }

    private static func warning(_ reason: String, _ name: String) -> String {
        "The tokens of the profile \"\(name)\" are removed here, but the server did not revoke them: \(reason) "
            + "There they stay valid until they expire: whoever has a copy can use it. End the session at the server."
    }
}
