import HttpConversation

/// The reason why an account cannot be used, below a ``LogonError``.
///
/// A list that cannot be read has a `DataVaultError` in its place.
public struct LogonAccountError: Error, Sendable {
    /// An error's code.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// The account was removed, by this process or another one. Nothing of it is made again.
        case vanished
        /// No account has that name.
        case unknownName
        /// Another account has that name.
        case nameTaken
        /// The name is empty, too long, or has control characters.
        case invalidName
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, and what to do about it.
    public let message: String
}

extension LogonAccountError: CustomStringConvertible {
    /// Code and message.
    public var description: String { "\(code): \(message)" }
}

extension LogonError {
    /// Whether the account was removed, by this process or another one.
    public var isAccountVanished: Bool { (underlyingError as? LogonAccountError)?.code == .vanished }

    static func account(_ code: LogonAccountError.Code, _ message: String) -> LogonError {
        LogonError(
            code == .vanished ? .operationNotAllowed : .invalidParameter, message,
            underlyingError: LogonAccountError(code: code, message: message))
    }

    /// - Parameter name: the account's name; nil if it is not known
    static func vanished(_ name: String?) -> LogonError {
        let account = name.map { "The account \"\(TerminalText.sanitise($0))\"" } ?? "The account"
        return .account(
            .vanished, "\(account) was removed from this device: choose another account, or add it again.")
    }
}
