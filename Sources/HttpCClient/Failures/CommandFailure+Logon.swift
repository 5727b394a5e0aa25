import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvVault
import MobileServices

extension CommandFailure {
    /// Creates the failure for an error of a logon.
    init(_ error: LogonError) {
        if let cause = Self.cause(of: error) {
            self = cause
            return
        }
        self.init(Self.status(of: error), ConversationError.commandText(error.message))
    }

    /// The status for every code of the library; an underlying error may give a better one.
    static let logonTable: [LogonError.Code: ExitStatus] = [
        .operationCancelled: .loginFailed, .invalidParameter: .usage, .invalidOperationCode: .usage,
        .communicationManagerError: .loginFailed, .userAlreadyLoggedIn: .usage,
        .operationExecutionInProgress: .loginFailed, .invalidOperationContext: .usage, .invalidCommunicatorID: .usage,
        .invalidActionItemID: .fault, .couldNotDecideCommunicator: .loginFailed, .passwordsNotEqual: .loginFailed,
        .operationNotAllowed: .loginFailed, .invalidServerHost: .malformedURL, .invalidBackendPassword: .loginFailed,
        .passcodeChangeNotEnabled: .loginFailed, .uploadTraceFailed: .sendFailed,
    ]

    /// The failure that this command itself threw below the error.
    private static func cause(of error: any Error) -> CommandFailure? {
        switch error {
        case let failure as CommandFailure: failure
        case let error as LogonError: error.underlyingError.flatMap { cause(of: $0) }
        case let error as MobileServicesError: error.underlyingError.flatMap { cause(of: $0) }
        case let error as ConversationError: error.underlyingError.flatMap { cause(of: $0) }
        case let error as WebLoginError: error.underlyingError.flatMap { cause(of: $0) }
        case let error as OAuth2Error: error.underlyingError.flatMap { cause(of: $0) }
        default: nil
        }
    }

    private static func status(of error: LogonError) -> ExitStatus {
        let usual = logonTable[error.code] ?? .fault
        switch error.underlyingError {
        case let error as PasscodeVaultError: return status(of: error)
        case let error as DataVaultError: return StateFailure.failure(error).status
        case let error as ConversationError: return ExitStatus(error.code)
        case let error as MobileServicesError: return status(of: error) ?? usual
        case let nobody as NoCommunicator:
            // No server has answered at all.
            return nobody.reports.allSatisfy { $0.status == nil } ? .connectionFailed : usual
        default: return usual
        }
    }

    private static func status(of error: MobileServicesError) -> ExitStatus? {
        if let cause = error.underlyingError as? ConversationError { return ExitStatus(cause.code) }
        switch error.code {
        case .malformedAnswer, .wrongType, .contradictoryPolicy: return .malformedAnswer
        case .tooLarge: return .tooLarge
        default: return nil
        }
    }

    private static func status(of error: PasscodeVaultError) -> ExitStatus {
        switch error.code {
        case .insecurePermissions, .unsafeFile: .usage
        case .unsupportedFormat, .damaged, .busy, .readOnly, .diskFull, .ioFailure, .alreadyExists: .outputFailed
        case .invalidValue: .fault
        default: .loginFailed
        }
    }
}
