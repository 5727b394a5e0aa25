import HttpConversation

/// Why a mobile server did not do what it was asked for.
///
/// `message` says what happened, where, and what to do; no connection id, token or password is ever part of it.
public struct MobileServicesError: Error, Sendable {
    /// What went wrong, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The server's address, the application's id or a path cannot be used.
        public static let invalidApplication = Code("invalidApplication")
        /// A property or connection id of the caller's cannot be sent; `property` names it.
        public static let invalidProperty = Code("invalidProperty")
        /// The session has no connection of this application: register first.
        public static let notRegistered = Code("notRegistered")
        /// The server does not know the connection, and registering again did not help.
        public static let unknownConnection = Code("unknownConnection")
        /// The server does not know the application, or not this version of the service.
        public static let unknownApplication = Code("unknownApplication")
        /// The server has no such thing, such as a bundle.
        public static let notFound = Code("notFound")
        /// 401: nobody is logged in, and no flow of the manager's could change that.
        public static let notAuthenticated = Code("notAuthenticated")
        /// 403: who is logged in may not do that.
        public static let notAllowed = Code("notAllowed")
        /// The server said no in another way; `serverMessage` is its reason where it gave one.
        public static let refused = Code("refused")
        /// 429 or a 5xx: the server cannot answer now.
        public static let serverFailed = Code("serverFailed")
        /// A page came instead of an answer, as from a captive portal or a login that no flow recognised; or the answer
        /// came from another server.
        public static let notAMobileServer = Code("notAMobileServer")
        /// The answer is no JSON or Atom, not of this service, or built to do harm.
        public static let malformedAnswer = Code("malformedAnswer")
        /// A property has a value of another type than the service's; `property` names it.
        public static let wrongType = Code("wrongType")
        /// The answer is longer than any such answer should be.
        public static let tooLarge = Code("tooLarge")
        /// No passcode could satisfy the server's policy; `property` names one that contradicts another.
        public static let contradictoryPolicy = Code("contradictoryPolicy")
        /// There is no answer; `underlyingError` is the `ConversationError`.
        public static let conversationFailed = Code("conversationFailed")
        /// The task was cancelled, or the person who was asked to log in said no.
        public static let cancelled = Code("cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String
    /// The property that it is about, by its name in the service.
    public let property: String?
    /// The status of the server's answer.
    public let status: Int?
    /// What the server says about it; sanitised.
    public let serverMessage: String?
    /// The error below.
    public let underlyingError: (any Error)?

    init(
        _ code: Code, _ message: String, property: String? = nil, status: Int? = nil, serverMessage: String? = nil,
        underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.property = property.map { TerminalText.sanitise($0, limit: 80) }
        self.status = status
        self.serverMessage = serverMessage.map { TerminalText.sanitise($0) }
        self.underlyingError = underlyingError
    }

    /// Any error of a conversation or step.
    static func wrapping(_ error: any Error, at application: MobileApplication) -> MobileServicesError {
        if let error = error as? MobileServicesError { return error }
        let conversation = error as? ConversationError
        if error is CancellationError || conversation?.code == .cancelled {
            return MobileServicesError(
                .cancelled, "The request to \(application) was cancelled.", underlyingError: error)
        }
        if conversation?.code == .tooLarge {
            return MobileServicesError(
                .tooLarge, "The answer about \(application) is longer than any such answer: it was not read.",
                underlyingError: error)
        }
        let reason = conversation?.message ?? "A filter of the manager failed."
        return MobileServicesError(
            .conversationFailed, "There is no answer about \(application): \(reason)", underlyingError: error)
    }
}

extension MobileServicesError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code, message and what the server says. The underlying error's own text is left out.
    public var description: String { "\(code): \(message)" + (serverMessage.map { " The server says: \($0)" } ?? "") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
