import HttpC

/// Answers challenges with -u: for the origin that the person named, and for https on the same host.
struct CommandLineProvider: UsernamePasswordProvider {
    let user: UserArgument
    let named: Origin
    let trustsRedirects: Bool
    let ledger: LoginLedger

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        let origin = challenge.target.origin
        guard isNamed(origin) || trustsRedirects && user.password != nil else {
            ledger.refused(
                "-u is for \(named), the login was asked for by \(origin); --location-trusted answers that as well")
            return .none
        }
        if let password = user.password {
            return .credential(UsernamePassword(username: user.name, password: password.value), persistence: .session)
        }
        guard challenge.previousFailureCount == 0 else { return .none }
        return try await PasswordPrompt.ask(for: user.name, challenge, ledger)
    }

    private func isNamed(_ origin: Origin) -> Bool {
        origin == named || (origin.host == named.host && named.scheme == .http && origin.scheme == .https)
    }
}
