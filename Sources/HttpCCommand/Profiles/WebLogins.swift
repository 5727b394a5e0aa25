import HttpC

/// `[profiles.NAME.saml2]`.
struct SAML2Login: Sendable {
    /// Where logins start and end.
    enum FinishEndpoint: Sendable {
        case absolute(TargetURL)
        /// A path, at whatever origin a request goes to.
        case relative(String)
    }

    let header: String?
    let finishEndpoint: FinishEndpoint
    let finishParameter: String

    /// The library's configuration for a request.
    func config(for target: TargetURL) throws -> SAML2Config {
        let endpoint =
            switch finishEndpoint {
            case .absolute(let url): url
            case .relative(let path): try target.origin.url(requestTarget: path)
            }
        return try SAML2Config(
            identifyingHeader: header, finishEndpoint: endpoint, finishParameter: finishParameter)
    }
}

/// Where the answer for a form's field comes from. It is fetched when a login begins.
enum AnswerSource: Sendable {
    case text(PasswordSource)
    /// The base32 secret of one-time codes.
    case totp(PasswordSource)
}

/// A profile's service provider, inside its match only (security rule S13).
struct ProfileSAML2: SAML2ConfigProvider {
    let profile: Profile
    let login: SAML2Login

    func saml2Config(for target: TargetURL) async throws -> SAML2Config? {
        profile.match.contains { $0.matches(target) } ? try login.config(for: target) : nil
    }
}

/// A profile's second factor, inside its match only (security rule S13).
struct ProfileOTP: OTPConfigProvider {
    let profile: Profile
    let config: OTPConfig

    func otpConfig(for target: TargetURL) async throws -> OTPConfig? {
        profile.match.contains { $0.matches(target) } ? config : nil
    }
}
