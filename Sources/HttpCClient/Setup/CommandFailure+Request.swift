package import HttpC
import HttpCTerminal
import HttpConvLogon

extension CommandFailure {
    /// Creates the failure for an error of a request. The message of a provider or flow is better than the engine's.
    package init(_ error: ConversationError, of setup: RequestSetup) {
        switch error.underlyingError {
        case let cause as CommandFailure: self = cause
        case let cause as KerberosError:
            self.init(ExitStatus(error.code), "\(error.commandMessage) \(cause.message)")
        case let cause as LogonError: self.init(cause)
        case let cause as RecognizedLogin:
            self.init(.loginFailed, LoginPageAdvice.text(cause, profile: setup.given.profile, in: setup.configuration))
        case let cause as WebLoginError: self.init(cause, in: error, of: setup)
        case let cause as OAuth2Error:
            // The profile expected a login, and this error prevented it.
            self.init(
                cause.code == .storageFailed ? .outputFailed : ExitStatus(error.code),
                CommandFailure(login: cause, given: setup.given).message)
        default: self.init(error, given: setup.given)
        }
    }

    private init(_ cause: WebLoginError, in error: ConversationError, of setup: RequestSetup) {
        let page = cause.underlyingError as? ConversationError
        if let failure = cause.underlyingError as? CommandFailure {
            self = failure
        } else if let failure = page?.underlyingError as? CommandFailure {
            self = failure
        } else {
            // The code is for programs, so it is removed from the message.
            self.init(
                ExitStatus(error.code),
                error.commandMessage.replacing("failed. \(cause.code): ", with: "failed. ")
                    + FailureAdvice.text(cause, given: setup.given))
        }
    }
}
