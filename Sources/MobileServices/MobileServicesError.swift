import HttpConversation

/// The reason why a mobile server did not do what it was asked for.
///
/// `message` says what happened, where, and what to do. It contains no connection id, token or password.
public struct MobileServicesError: Error, Sendable {
    /// The kind of error, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The server's address, the application's id or a path cannot be used.
        public static let invalidApplication = Code("invalidApplication")
        /// A property or connection id of the caller cannot be sent. `property` names it.
        public static let invalidProperty = Code("invalidProperty")
        /// The session has no connection of this application: register first.
        public static let notRegistered = Code("notRegistered")
        /// The server does not know the connection, and registering again did not help.
        public static let unknownConnection = Code("unknownConnection")
        /// The server does not know the application, or not this version of the service.
        public static let unknownApplication = Code("unknownApplication")
        /// The server does not have the resource, such as a bundle.
        public static let notFound = Code("notFound")
        /// 401: the user is not logged in, and no flow of the manager could log in.
        public static let notAuthenticated = Code("notAuthenticated")
        /// 403: the user has no permission for this.
        public static let notAllowed = Code("notAllowed")
        /// The server refused for another reason. `serverMessage` has it if the server gave one.
        public static let refused = Code("refused")
        /// 429 or a 5xx: the server cannot answer now.
        public static let serverFailed = Code("serverFailed")
        /// The answer is a web page, such as a captive portal or a login that no flow recognised, or it came from
        /// another server.
        public static let notAMobileServer = Code("notAMobileServer")
        /// The answer cannot be read as JSON or Atom, or does not belong to this service.
        public static let malformedAnswer = Code("malformedAnswer")
        /// A property has a value of another type than the service's. `property` names it.
        public static let wrongType = Code("wrongType")
        /// The answer exceeds the limit for such answers.
        public static let tooLarge = Code("tooLarge")
        /// No passcode could satisfy the server's policy. `property` names a contradictory part of it.
        public static let contradictoryPolicy = Code("contradictoryPolicy")
        /// The request got no answer. `underlyingError` is the `ConversationError`.
        public static let conversationFailed = Code("conversationFailed")
        /// The task was cancelled, or the user declined to log in.
        public static let cancelled = Code("cancelled")
    }

    /// The kind of error.
    public let code: Code
    /// The message: it says what happened, where, and what to do.
    public let message: String
    /// The property in question, by its name in the service.
    public let property: String?
    /// The status of the server's answer.
    public let status: Int?
    /// The server's message about the error, sanitised.
    public let serverMessage: String?
    /// The error that caused this one.
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

    /// An error for any error of a conversation or step.
    static func wrapping(_ error: any Error, at application: MobileApplication) -> MobileServicesError {
        if let error = error as? MobileServicesError { return error }
        let conversation = error as? ConversationError
        if error is CancellationError || conversation?.code == .cancelled {
            return MobileServicesError(
                .cancelled, "The request to \(application) was cancelled.", underlyingError: error)
        }
        if conversation?.code == .tooLarge {
            return MobileServicesError(
                .tooLarge,
                "The answer about \(application) is larger than 256 KiB (the limit) and was not read: check the server's address.",
                underlyingError: error)
        }
        let reason = conversation?.message ?? "A filter of the manager failed."
        return MobileServicesError(
            .conversationFailed, "There is no answer about \(application): \(reason)", underlyingError: error)
    }
}

extension MobileServicesError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The code, the message and the server's message. The underlying error's text is left out.
    public var description: String { "\(code): \(message)" + (serverMessage.map { " The server says: \($0)" } ?? "") }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
