import HttpC

/// A profile's service provider, for URLs of its match alone (security rule S13).
struct ProfileSAML2: SAML2ConfigProvider {
    let profile: Profile
    let login: SAML2Table

    func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
        profile.match.contains { $0.matches(target) } ? try login.config(for: target) : nil
    }
}

/// A profile's other web login, for URLs of its match alone (security rule S13).
struct ProfileWebLogin: WebLoginConfigurationProvider {
    let profile: Profile
    let login: WebLoginTable

    func webLoginConfiguration(for target: TargetURL) async throws -> WebLoginConfiguration? {
        profile.match.contains { $0.matches(target) } ? try login.config(for: target) : nil
    }
}

/// A profile's second factor, for URLs of its match alone (security rule S13).
struct ProfileOTP: OTPConfigProvider {
    let profile: Profile
    let config: OTPConfig

    func otpConfig(for target: TargetURL) async throws -> OTPConfig? {
        profile.match.contains { $0.matches(target) } ? config : nil
    }
}
