import HttpC
import HttpCTerminal

/// Answers challenges with a profile's user name and password, for URLs of its match alone (security rules S11 and
/// S13).
struct ProfileProvider: UsernamePasswordProvider {
    let profile: Profile
    let login: BasicTable
    /// The passwords that were sent ahead, by server.
    var ahead: [Origin: Redacted<String>] = [:]
    /// Whether it is for the other servers of the match, if a person types the passwords.
    var isForOthers = false
    let outcomes: ChallengeOutcomes

    var isInteractive: Bool {
        if case .prompt = login.password { ahead.isEmpty || isForOthers } else { false }
    }

    func serves(_ destination: CredentialDestination) -> Bool {
        let target = destination.target
        guard profile.match.contains(where: { $0.matches(target) }) else {
            outcomes.refused("the login was asked for outside the match of the profile \"\(profile.name)\"")
            return false
        }
        if case .prompt = login.password, !ahead.isEmpty, (ahead[target.origin] == nil) != isForOthers { return false }
        guard target.origin.isSecure else {
            outcomes.refused("a profile's password goes over https only, and \(target.origin) is not")
            return false
        }
        return true
    }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        do {
            let read = try await SecretReader.read(login.password, "password of [profiles.\(profile.name).basic]")
            if let password = read ?? ahead[challenge.space.origin] {
                challenge.context.notify(.passwordGiven(source: "of the profile"))
                return .credential(
                    UsernamePassword(username: login.username, password: password.value), persistence: .session)
            }
        } catch {
            outcomes.refused(error.message)
            throw error
        }
        guard challenge.previousFailureCount == 0 else { return .none }
        return try await PasswordPrompt.ask(for: login.username, challenge, outcomes)
    }
}
