import HttpC
import HttpCTerminal

/// The question for a missing password: our own words, the verified origin, then the peer's text (security rule S21).
enum PasswordPrompt {
    /// Asks before any challenge (--basic).
    static func ask(for name: String, at origin: Origin) async throws(CommandFailure) -> Redacted<String> {
        let shown = TerminalText.sanitise(name, limit: 60)
        do {
            let password = try await ControllingTerminal.askPassword("httpc: password of \(shown) for \(origin): ")
            if let password { return password }
        } catch {
            throw CommandFailure(.loginFailed, "The question for the password was cancelled.")
        }
        throw CommandFailure(
            .loginFailed, "There is no terminal to ask for the password of \(shown): use -u \(shown):PASSWORD.")
    }

    static func ask(
        for name: String, _ challenge: AuthenticationChallenge, _ outcomes: ChallengeOutcomes
    ) async throws -> ProvidedCredential {
        let realm = challenge.space.shownRealm
        let prompt =
            "httpc: password of \(TerminalText.sanitise(name, limit: 60)) for \(challenge.space.origin)"
            + (realm.isEmpty ? "" : " (realm \"\(realm)\")") + ": "
        challenge.context.notify(.personAsked(what: "the password of \(TerminalText.sanitise(name, limit: 60))"))
        guard let password = try await ControllingTerminal.askPassword(prompt) else {
            outcomes.refused(
                "there is no terminal to ask for the password of \(TerminalText.sanitise(name, limit: 60))")
            return .none
        }
        challenge.context.notify(.passwordGiven(source: "that were typed"))
        return .credential(UsernamePassword(username: name, password: password.value), persistence: .session)
    }
}
