import HttpC
import HttpCTerminal

/// A profile's login without a page, for URLs of its match alone (security rule S13).
struct ProfileECP: ECPConfigurationProvider {
    private let profile: Profile
    private let configuration: ECPConfiguration

    /// Nil if the profile has no such login.
    ///
    /// - Parameters:
    ///   - settings: the options about Kerberos
    ///   - outcomes: knows whether the password was refused
    init?(
        _ profile: Profile, _ settings: KerberosSettings, _ outcomes: ChallengeOutcomes
    ) throws(CommandFailure) {
        guard let account = profile.saml2?.ecp else { return nil }
        self.profile = profile
        let place = account.identityProvider.origin
        let isAsked = if case .prompt? = account.basic?.password { true } else { false }
        do throws(ECPError) {
            configuration = try ECPConfiguration(
                identityProvider: account.identityProvider, consumers: profile.match.map(\.origin),
                isInteractive: isAsked
            ) {
                guard let basic = account.basic else {
                    return .kerberos(try await (profile.kerberos ?? KerberosTable()).login(settings, of: profile))
                }
                if outcomes.takeECPRefusal() { SecretReader.forget(basic.password) }
                let known = try await SecretReader.read(
                    basic.password, "password of [profiles.\(profile.name).saml2]")
                let password =
                    if let known { known } else { try await PasswordPrompt.ask(for: basic.username, at: place) }
                return .password(UsernamePassword(username: basic.username, password: password.value))
            }
        } catch { throw CommandFailure(.usage, "[profiles.\(profile.name).saml2]: \(error.message)") }
    }

    func ecpConfiguration(for target: TargetURL) -> ECPConfiguration? {
        profile.match.contains { $0.matches(target) } ? configuration : nil
    }
}
