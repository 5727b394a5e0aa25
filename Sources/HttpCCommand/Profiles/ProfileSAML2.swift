import HttpC

/// A profile's service provider, for URLs of its match alone (security rule S13).
struct ProfileSAML2: SAML2ConfigProvider {
    let profile: Profile
    let login: SAML2Login

    func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
        profile.match.contains { $0.matches(target) } ? try login.config(for: target) : nil
    }
}
