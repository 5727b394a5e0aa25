import HttpConvAuthFlows
import HttpConversation

/// The configuration by which web logins of the registered server are recognised.
struct PersonWebLogins: SAML2ConfigProvider, OTPConfigProvider {
    let person: LogonPerson

    func saml2Config(for target: TargetURL) -> SAML2Config? { profile(of: target)?.saml2 }
    func otpConfig(for target: TargetURL) -> OTPConfig? { profile(of: target)?.otp }

    private func profile(of target: TargetURL) -> RegistrationProfile? {
        person.profile.flatMap { $0.root.origin == target.origin ? $0 : nil }
    }
}
