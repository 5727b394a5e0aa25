package import HttpC
import HttpCTerminal

/// Asks whether to log in after a login was recognised for which there is no profile. On a terminal only (security
/// rule S33).
package enum LoginPrompt {
    /// Asks about the login of an error, and returns it if the person agrees. Returns nil if there is no question.
    package static func accepted(_ error: ConversationError, _ setup: RequestSetup) async -> RecognizedLogin? {
        guard let login = error.underlyingError as? RecognizedLogin, login.certainty == .certain,
            login.configuration != nil, setup.canAskForLogin, TerminalPrompter.isAvailable
        else { return nil }
        let place = login.provider ?? login.target.origin
        let question = "Log in at \(place)\(place.isSecure ? "" : ", which is not encrypted")?"
        let prompter = TerminalPrompter(onInterrupt: ControllingTerminal.interrupted)
        return await prompter.isAgreed(question, after: "httpc: \(login.message)") ? login : nil
    }
}

extension TerminalPrompter {
    /// Asks for yes or no after some lines. A question that is cancelled counts as no.
    func isAgreed(_ question: String, after lines: String...) async -> Bool {
        do {
            try await write(lines.map { $0 + "\n" }.joined())
            return try await confirm(question)
        } catch {
            return false
        }
    }
}

/// A login that the person has confirmed, for the server that demands it alone (security rule S33).
struct ConfirmedLogin: SAML2ConfigProvider, WebLoginConfigurationProvider, OTPConfigProvider {
    private let origin: Origin
    private let configuration: RecognizedLogin.Configuration?

    init(_ login: RecognizedLogin) {
        origin = login.target.origin
        configuration = login.configuration
    }

    func saml2Config(for target: TargetURL) -> SAML2Config? {
        guard target.origin == origin, case .saml2(let config)? = configuration else { return nil }
        return config
    }

    func webLoginConfiguration(for target: TargetURL) -> WebLoginConfiguration? {
        guard target.origin == origin, case .webLogin(let config)? = configuration else { return nil }
        return config
    }

    func otpConfig(for target: TargetURL) -> OTPConfig? {
        guard target.origin == origin, case .oneTimeCode(let config)? = configuration else { return nil }
        return config
    }

    func configure(_ configurator: inout CommonAuthenticationConfigurator) {
        switch configuration {
        case .saml2?: configurator.add(saml2: self)
        case .webLogin?: configurator.add(webLogin: self)
        case .oneTimeCode?: configurator.add(otp: self)
        default: break
        }
    }
}
