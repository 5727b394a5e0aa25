import HttpC

/// Answers challenges with the logins of a .netrc file, each at its own host (security rule S7).
///
/// The file names neither port nor scheme. So without TLS, or without checks of certificates, the logins go to the
/// typed servers alone. After a redirect over https, a login goes to its own host. `default` is for the typed servers.
struct NetrcProvider: UsernamePasswordProvider {
    let file: NetrcFile
    /// The login for the typed servers; nil if the file has none.
    let user: UserArgument?
    let named: Set<Origin>
    let checksCertificates: Bool
    let outcomes: ChallengeOutcomes

    var isInteractive: Bool { false }

    func serves(_ destination: CredentialDestination) -> Bool {
        let origin = destination.target.origin
        if user(for: origin) != nil { return true }
        if file.user(for: origin.host, allowsDefault: false) != nil {
            outcomes.refused(
                "the .netrc file names neither port nor scheme, so its login for \(origin.host) goes there over https only, or where you typed the URL"
            )
        } else if self.user == nil, outcomes.lastRefusal == nil {
            outcomes.refused("the .netrc file has no login for \(origin.host)")
        }
        return false
    }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        guard let user = user(for: challenge.target.origin), let password = user.password else { return .none }
        challenge.context.notify(.passwordGiven(source: "of the .netrc file"))
        return .credential(UsernamePassword(username: user.name, password: password.value), persistence: .session)
    }

    private func user(for origin: Origin) -> UserArgument? {
        if named.contains(where: { $0.covers(origin) }) { return user }
        guard origin.scheme == .https, checksCertificates else { return nil }
        return file.user(for: origin.host, allowsDefault: false)
    }
}
