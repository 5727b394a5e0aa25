import HttpConvVault
import HttpConversation
import MobileServices

/// Maps errors of the layers below to the numbers that applications know.
extension LogonError {
    static var notLoggedOn: LogonError {
        LogonError(.operationNotAllowed, "Nobody has logged on: register first.")
    }

    static var cancelled: LogonError { LogonError(.operationCancelled, "The operation was cancelled.") }

    /// - Parameter hasPassword: whether the server was given one, and did not accept it
    static func wrapping(_ error: MobileServicesError, hasPassword: Bool) -> LogonError {
        switch error.code {
        case .cancelled: return .cancelled
        case .invalidApplication, .invalidProperty:
            return LogonError(.invalidParameter, error.message, underlyingError: error)
        case .notAuthenticated where hasPassword:
            return LogonError(
                .invalidBackendPassword,
                "The server does not accept the user name or the password: enter them again.", underlyingError: error)
        default:
            return (error.underlyingError as? ConversationError).flatMap { below($0) }
                ?? LogonError(.communicationManagerError, error.message, underlyingError: error)
        }
    }

    static func wrapping(_ error: ConversationError) -> LogonError {
        if error.code == .cancelled { return .cancelled }
        return below(error) ?? LogonError(.communicationManagerError, error.message, underlyingError: error)
    }

    /// The error of one of the logon's own filters or providers.
    private static func below(_ error: ConversationError) -> LogonError? { error.underlyingError as? LogonError }

    static func wrapping(_ error: PasscodeVaultError) -> LogonError {
        let code: Code =
            switch error.code {
            case .cancelled: .operationCancelled
            case .wrongPasscode, .wrongKey, .policyViolated, .unchanged, .passcodeNeeded, .noPasscode,
                .passcodeUnusable:
                .invalidParameter
            default: .operationNotAllowed
            }
        return LogonError(code, error.message, underlyingError: error)
    }

    static func wrapping(_ error: EnrolmentError) -> LogonError {
        let code: Code =
            switch error.code {
            case .cancelled: .operationCancelled
            case .invalidRequest: .invalidParameter
            default: .communicationManagerError
            }
        return LogonError(code, error.message, underlyingError: error)
    }
}
