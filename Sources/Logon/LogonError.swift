public import Foundation

/// Why a logon operation did not do what it was asked for.
///
/// `message` says what happened, where, and what to do; no passcode, password or connection id is ever part of it.
public struct LogonError: Error, Sendable {
    /// What went wrong, by the numbers that applications know. That there is no error is never a code: 0 is a
    /// cancellation.
    public enum Code: Int, Sendable, Hashable, CaseIterable {
        /// The person, or the application, cancelled the operation.
        case operationCancelled = 0
        /// A value that the operation was given cannot be used.
        case invalidParameter = 1
        /// There is no such operation.
        case invalidOperationCode = 2
        /// A server did not do what it was asked for; `underlyingError` says why.
        case communicationManagerError = 3
        /// The application is registered already.
        case userAlreadyLoggedIn = 4
        /// Another operation is in progress.
        case operationExecutionInProgress = 5
        /// The operation does not belong to what the context is about.
        case invalidOperationContext = 6
        /// There is no such communicator.
        case invalidCommunicatorID = 7
        /// The screen has no such action.
        case invalidActionItemID = 8
        /// What answers at the address is no server that could be registered with.
        case couldNotDecideCommunicator = 9
        /// The passcode was repeated in another way.
        case passwordsNotEqual = 10
        /// The operation is not possible in this state, or an administrator does not want it.
        case operationNotAllowed = 11
        /// The server's address cannot be used.
        case invalidServerHost = 12
        /// The back end does not accept the password.
        case invalidBackendPassword = 13
        /// There is no passcode that could be changed.
        case passcodeChangeNotEnabled = 14
        /// A trace could not be uploaded.
        case uploadTraceFailed = 15
    }

    /// The domain of the codes, for those who see an `NSError`.
    public static let domain = "MAFLogonManagerNGErrorDomain"

    /// What went wrong.
    public let code: Code
    /// What happened, where, and what to do about it.
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

extension LogonError: CustomNSError {
    /// ``domain``.
    public static var errorDomain: String { domain }
    /// The code's number.
    public var errorCode: Int { code.rawValue }
    /// The message, as what a person reads.
    public var errorUserInfo: [String: Any] { [NSLocalizedDescriptionKey: message] }
}

extension LogonError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code, number and message. The underlying error's own text is left out.
    public var description: String { "\(code) (\(code.rawValue)): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
