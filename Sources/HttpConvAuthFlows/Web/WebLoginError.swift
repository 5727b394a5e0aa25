import HttpConversation

/// Why a login on web pages did not come to its end. Travels as the `underlyingError` of a
/// ``/HttpConversation/ConversationError``.
///
/// `message` says what happened, where, and what to do; no password, code or cookie is ever part of it.
public struct WebLoginError: Error, Sendable {
    /// What went wrong, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The person closed the login.
        public static let cancelled = Code("cancelled")
        /// Nobody finished the login in time.
        public static let timedOut = Code("timedOut")
        /// There is nothing to show a login with.
        public static let noStrategy = Code("noStrategy")
        /// The configuration cannot work.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The server wants a login again right after one.
        public static let challengedAgain = Code("challengedAgain")
        /// The web strategy failed in a way of its own; `underlyingError` is its error.
        public static let strategyFailed = Code("strategyFailed")
        /// The page would be opened over plain http on another machine (security rule S11).
        public static let insecurePage = Code("insecurePage")
        /// The browser is not there, did not start, crashed or hung.
        public static let browserFailed = Code("browserFailed")
        /// A page needs what the strategy cannot do, such as JavaScript in a terminal.
        public static let unsupportedPage = Code("unsupportedPage")
        /// A page could not be loaded, or is no page.
        public static let pageFailed = Code("pageFailed")
        /// A required field has no answer, and there is nobody to ask.
        public static let missingAnswer = Code("missingAnswer")
        /// The prepared answers may not go to this page's origin (security rule S14).
        public static let answersNotAllowed = Code("answersNotAllowed")
        /// The page did not accept what was filled in.
        public static let answersRefused = Code("answersRefused")
    }

    /// What went wrong.
    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String
    /// What the page says, as far as it matters; sanitised.
    public let pageText: String?
    /// The error below, of the network or the browser.
    public let underlyingError: (any Error)?

    /// Creates an error; web strategies use this.
    public init(_ code: Code, _ message: String, pageText: String? = nil, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.pageText = pageText.map { TerminalText.sanitise($0) }
        self.underlyingError = underlyingError
    }

    static func noStrategy(_ kind: String) -> WebLoginError {
        WebLoginError(
            .noStrategy, "There is nothing to show the login with: register a \(kind) with WebStrategies.")
    }

    /// Any error of a web strategy.
    static func wrapping(_ error: any Error) -> WebLoginError {
        if let error = error as? WebLoginError { return error }
        let isCancelled = error is CancellationError || (error as? ConversationError)?.code == .cancelled
        guard !isCancelled else { return WebLoginError(.cancelled, "The login was closed.") }
        return WebLoginError(.strategyFailed, "The web strategy failed.", underlyingError: error)
    }
}

extension WebLoginError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code, message and what the page says. The underlying error's own text is left out.
    public var description: String { "\(code): \(message)" + (pageText.map { " The page says: \($0)" } ?? "") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
