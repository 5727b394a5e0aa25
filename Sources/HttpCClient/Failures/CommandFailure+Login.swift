import HttpC
import HttpCTerminal
import HttpConvLogon

extension CommandFailure {
    /// Creates the failure for an error of a login.
    ///
    /// - Parameter given: the settings that no advice repeats
    package init(login error: any Error, given: GivenSettings = GivenSettings()) {
        switch error {
        case let failure as CommandFailure: self = failure
        case let error as ConversationError:
            self = error.underlyingError as? CommandFailure ?? CommandFailure(error, given: given)
        case let error as OAuth2Error:
            self = error.underlyingError as? CommandFailure ?? CommandFailure(error, given: given)
        case let error as LogonError: self.init(error)
        case is CancellationError: self.init(.loginFailed, "The login was cancelled.")
        default: self.init(.fault, "The login failed in an unexpected way.")
        }
    }

    private init(_ error: OAuth2Error, given: GivenSettings) {
        var text = ConversationError.commandText(error.message)
        if let name = error.serverError {
            text += " The server says: \(name)" + (error.serverDescription.map { " (\($0))" } ?? "") + "."
        }
        text += OAuth2Advice.text(error, given: given)
        if let page = error.underlyingError as? WebLoginError { text += FailureAdvice.text(page, given: given) }
        if error.status == 407 { text += " A login for a proxy is that of --proxy-user." }
        let cause = error.underlyingError as? ConversationError
        switch error.code {
        case .endpointUnreachable:
            if let cause { text += " \(Self.message(of: cause, given: given))" }
            self.init(cause.map { ExitStatus($0.code) } ?? .loginFailed, text)
        case .invalidConfiguration, .insecureEndpoint: self.init(.usage, text)
        case .clientKeyUnusable, .clientCertificateUnusable:
            self.init(cause.map { ExitStatus($0.code) } ?? .clientCertificateUnusable, text)
        case .storageFailed: self.init(.outputFailed, text)
        case .noWebStrategy: self.init(.loginFailed, "A person has to log in, and web = \"none\" says that none can.")
        default: self.init(.loginFailed, text)
        }
    }
}
