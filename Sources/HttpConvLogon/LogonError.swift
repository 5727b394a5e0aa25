/// The reason why a logon operation failed.
///
/// `message` says what happened, where, and what to do; no passcode, password or connection id is ever part of it.
public struct LogonError: Error, Sendable {
    /// An error's code, by the numbers that applications know. Every code is an error: 0 is a cancellation.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// The person, or the application, cancelled the operation.
        case operationCancelled = 0
        /// A parameter of the operation is invalid.
        case invalidParameter = 1
        /// There is no such operation.
        case invalidOperationCode = 2
        /// A request to a server failed; `underlyingError` says why.
        case communicationManagerError = 3
        /// The application is registered already.
        case userAlreadyLoggedIn = 4
        /// Another operation is in progress.
        case operationExecutionInProgress = 5
        /// The operation does not fit its context.
        case invalidOperationContext = 6
        /// There is no such communicator.
        case invalidCommunicatorID = 7
        /// The screen has no such action.
        case invalidActionItemID = 8
        /// The server at the address is of no kind that one can register with.
        case couldNotDecideCommunicator = 9
        /// The repeated passcode differs.
        case passwordsNotEqual = 10
        /// The operation is not possible in this state, or the policy forbids it.
        case operationNotAllowed = 11
        /// The server's address is invalid.
        case invalidServerHost = 12
        /// The back end does not accept the password.
        case invalidBackendPassword = 13
        /// There is no passcode to change.
        case passcodeChangeNotEnabled = 14
        /// A trace could not be uploaded.
        case uploadTraceFailed = 15
    }

    /// The domain of the codes, for code that sees an `NSError`.
    public static let domain = "MAFLogonManagerNGErrorDomain"

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public let message: String
    /// The error below, such as a `MobileServicesError`.
    public let underlyingError: (any Error)?

    /// Creates an error; communicators and screens use this.
    public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }
}

/// Its parts as an `NSError`, on Apple's systems.
extension LogonError {
    /// ``domain``.
    public static var errorDomain: String { domain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The message, as the localized description.
    public var errorUserInfo: [String: Any] { ["NSLocalizedDescription": message] }
}

extension LogonError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code, number and message. The underlying error's own text is left out.
    public var description: String { "\(code) (\(code.rawValue)): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
