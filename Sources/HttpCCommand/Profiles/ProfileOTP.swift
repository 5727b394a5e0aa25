import HttpC

/// A profile's second factor, for URLs of its match alone (security rule S13).
struct ProfileOTP: OTPConfigProvider {
    let profile: Profile
    let config: OTPConfig

    func otpConfig(for target: TargetURL) async throws -> OTPConfig? {
        profile.match.contains { $0.matches(target) } ? config : nil
    }
}
