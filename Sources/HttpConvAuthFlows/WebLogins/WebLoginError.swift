import HttpConversation

/// The reason why a login on web pages failed. It is the `underlyingError` of a
/// ``/HttpConversation/ConversationError``.
///
/// `message` says what happened, where, and what to do; no password, code or cookie is ever part of it.
public struct WebLoginError: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The person closed the login.
        public static let cancelled = Code("cancelled")
        /// The login timed out.
        public static let timedOut = Code("timedOut")
        /// There is no strategy to show a login with.
        public static let noStrategy = Code("noStrategy")
        /// The configuration cannot work.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The server asks for a login again right after one.
        public static let challengedAgain = Code("challengedAgain")
        /// The web strategy failed for another reason; `underlyingError` is its error.
        public static let strategyFailed = Code("strategyFailed")
        /// The page would be opened over plain http on another machine (security rule S11).
        public static let insecurePage = Code("insecurePage")
        /// The browser is missing, did not start, crashed or hung.
        public static let browserFailed = Code("browserFailed")
        /// The browser's window cannot be shown: there is no display, or it refuses. No page was loaded.
        public static let noWindow = Code("noWindow")
        /// A page needs something that the strategy does not support, such as JavaScript in a terminal.
        public static let unsupportedPage = Code("unsupportedPage")
        /// A page could not be loaded, or is not HTML.
        public static let pageFailed = Code("pageFailed")
        /// Required fields have no answer, and no person can be asked: ``missingFields``.
        public static let missingAnswer = Code("missingAnswer")
        /// This page's origin must not get the prepared answers (security rule S14).
        public static let answersNotAllowed = Code("answersNotAllowed")
        /// The page refused the input.
        public static let answersRefused = Code("answersRefused")
    }

    /// A field of a login page that needs a prepared answer and has none.
    public struct MissingField: Sendable, Hashable {
        /// The kind of answer that a field needs.
        public enum Kind: Sendable {
            /// A text that is shown while it is entered.
            case text
            /// A password or another text that is entered without echo.
            case secret
            /// A one-time code.
            case code
            /// A choice, a check box or a button.
            case choice
        }

        /// The purpose of a field, as far as its page tells.
        public enum Purpose: Sendable {
            /// A user name or a password that exists already, in a form that is for a login.
            case login
            /// A password that is being chosen.
            case newPassword
            /// A button of a page that wants a decision. An answer for one of the page's buttons is enough.
            case button
            /// Anything else, such as a form for a new account or a newsletter.
            case other
        }

        /// The name that the answer is for. A peer's text: sanitise it before it is shown.
        public let name: String
        /// The kind of answer.
        public let kind: Kind
        /// The values of a choice, as far as the page names them. A peer's text.
        public let choices: [String]
        /// The purpose.
        public let purpose: Purpose
        /// The label of a button; empty for other fields. A peer's text.
        public let label: String
        /// Whether the page has filled it in. It needs an answer only if that is not the person's own.
        public let isFilledIn: Bool

        /// Describes a field; web strategies use this.
        public init(
            _ name: String, _ kind: Kind, choices: [String] = [], purpose: Purpose = .other, label: String = "",
            isFilledIn: Bool = false
        ) {
            self.name = name
            self.kind = kind
            self.choices = choices
            self.purpose = purpose
            self.label = label
            self.isFilledIn = isFilledIn
        }
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public let message: String
    /// The relevant text of the page; sanitised.
    public let pageText: String?
    /// The error below, of the network or the browser.
    public let underlyingError: (any Error)?
    /// The fields without an answer; empty unless the code is `missingAnswer`.
    public let missingFields: [MissingField]
    /// Whether a server could not be reached, or could not work: that says nothing about a session.
    package private(set) var isOutage = false

    /// Creates an error; web strategies use this.
    public init(
        _ code: Code, _ message: String, pageText: String? = nil, underlyingError: (any Error)? = nil,
        missingFields: [MissingField] = []
    ) {
        self.code = code
        self.message = message
        self.pageText = pageText.map { TerminalText.sanitise($0) }
        self.underlyingError = underlyingError
        self.missingFields = missingFields
    }

    /// The error with another form of each of its texts, which may be of a page.
    ///
    /// - Parameter change: changes a text; the second argument is whether it may be cut at its end. Names are whole
    package func replacingTexts(_ change: (String, _ mayBeCut: Bool) -> String) -> WebLoginError {
        let error = WebLoginError(
            code, change(message, true), pageText: pageText.map { change($0, true) }, underlyingError: underlyingError,
            missingFields: missingFields.map {
                MissingField(
                    change($0.name, false), $0.kind, choices: $0.choices.map { change($0, true) }, purpose: $0.purpose,
                    label: change($0.label, true), isFilledIn: $0.isFilledIn)
            })
        return isOutage ? error.ofOutage() : error
    }

    /// The same error, as one of an outage.
    package func ofOutage() -> WebLoginError {
        var copy = self
        copy.isOutage = true
        return copy
    }

    /// The same error, as one of an outage if the page came with such a status: an overloaded or failing server.
    package func at(status: Int?) -> WebLoginError {
        guard let status, status == 429 || status >= 500 else { return self }
        return ofOutage()
    }

    static let noStrategy = WebLoginError(
        .noStrategy,
        "There is nothing to show the login with: register a WebLoginStrategy with WebStrategies. Without a display, use .terminal, or .answers(_:) without a person."
    )

    static let invalidHeader = WebLoginError(
        .invalidConfiguration, "The identifying header cannot be the name of a header field.")

    /// A URL of a configuration.
    ///
    /// - Throws: ``Code/invalidConfiguration`` with the name of the URL
    static func checked(_ name: String, _ url: any TargetURLConvertible) throws(WebLoginError) -> TargetURL {
        do throws(ConversationError) { return try url.targetURL() } catch {
            throw WebLoginError(
                .invalidConfiguration, "The \(name) is not an http or https URL: \(error.message)",
                underlyingError: error)
        }
    }

    /// Wraps any error of a web strategy.
    static func wrapping(_ error: any Error) -> WebLoginError {
        if let error = error as? WebLoginError { return error }
        let isCancelled = error is CancellationError || (error as? ConversationError)?.code == .cancelled
        guard !isCancelled else { return WebLoginError(.cancelled, "The login was closed.") }
        return WebLoginError(.strategyFailed, "The web strategy failed.", underlyingError: error)
    }
}

extension WebLoginError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code, message and the page's text in quotation marks, which are apostrophes inside it. The underlying error's
    /// own text is left out.
    public var description: String {
        guard let pageText, !pageText.isEmpty else { return "\(code): \(message)" }
        let said = pageText.unicodeScalars.map { Self.quotationMarks.contains($0) ? "'" : String($0) }.joined()
        return "\(code): \(message) The page says: \"\(said)\"" + (said.hasSuffix(".") ? "" : ".")
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }

    /// The characters that look like the end of a quotation.
    private static let quotationMarks = "\"\u{201C}\u{201D}\u{201E}\u{201F}\u{2033}\u{FF02}".unicodeScalars
}
