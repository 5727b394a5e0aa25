import HttpConversation

/// The reason why a service did not do what it was asked for.
///
/// `message` says what happened, where, and what to do. It contains no value of an entity.
public struct ODataError: Error, Sendable {
    /// The kind of error, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The service's address cannot be used.
        public static let invalidService = Code("invalidService")
        /// A name, value or option of the caller cannot be sent.
        public static let invalidRequest = Code("invalidRequest")
        /// 401: the user is not logged in, and no flow of the manager could log in.
        public static let notAuthenticated = Code("notAuthenticated")
        /// 403: the user has no permission for this.
        public static let notAllowed = Code("notAllowed")
        /// 404 or 410: the resource does not exist.
        public static let notFound = Code("notFound")
        /// 409: the request conflicts with the present state.
        public static let conflict = Code("conflict")
        /// 412: the entity has changed. ``ODataError/currentETag`` is its present version.
        public static let preconditionFailed = Code("preconditionFailed")
        /// 428: the service requires an ETag for this request.
        public static let preconditionRequired = Code("preconditionRequired")
        /// The service refused for another reason. ``ODataError/serverError`` has it if the service gave one.
        public static let refused = Code("refused")
        /// 429 or a 5xx: the service cannot answer now.
        public static let serverFailed = Code("serverFailed")
        /// The answer is a web page, such as a login that no flow recognised, or it came from another server.
        public static let notAnODataService = Code("notAnODataService")
        /// The answer cannot be read as JSON, Atom, metadata or a batch.
        public static let malformedAnswer = Code("malformedAnswer")
        /// A value has another type than the expected one.
        public static let wrongType = Code("wrongType")
        /// The answer is longer, deeper or has more elements than ``ODataLimits`` allow.
        public static let tooLarge = Code("tooLarge")
        /// A link of the service leads out of it (``ODataStoreConfiguration/trustedOrigins``).
        public static let linkRefused = Code("linkRefused")
        /// A link to the next page leads to a page that was already read.
        public static let pagesInACircle = Code("pagesInACircle")
        /// There are more pages than ``ODataLimits/pages``.
        public static let tooManyPages = Code("tooManyPages")
        /// The answers to a batch do not match its requests in number, order or ids: it is unknown which were done.
        public static let batchMismatch = Code("batchMismatch")
        /// A part of a batch was not done, because an earlier part failed, or another one of its change set.
        public static let notDone = Code("notDone")
        /// The request got no answer. ``ODataError/underlyingError`` is the `ConversationError`.
        public static let conversationFailed = Code("conversationFailed")
        /// The task was cancelled, or the user declined to log in.
        public static let cancelled = Code("cancelled")
    }

    /// The kind of error.
    public let code: Code
    /// The message: it says what happened, where, and what to do.
    public let message: String
    /// The status of the service's answer.
    public let status: Int?
    /// The error that the service reported.
    public let serverError: ODataServerError?
    /// The entity's present ETag, from the 412 or a read after it.
    public internal(set) var currentETag: String?
    /// The error that caused this one.
    public let underlyingError: (any Error)?

    init(
        _ code: Code, _ message: String, status: Int? = nil, serverError: ODataServerError? = nil,
        currentETag: String? = nil, underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.status = status
        self.serverError = serverError
        self.currentETag = currentETag
        self.underlyingError = underlyingError
    }

    /// An error of a conversation.
    init(_ error: ConversationError, at place: String) {
        switch error.code {
        case .cancelled:
            self.init(.cancelled, "The request to \(place) was cancelled.", underlyingError: error)
        case .tooLarge:
            self.init(.tooLarge, "The answer of \(place) is too long: it was not read.", underlyingError: error)
        default:
            self.init(
                .conversationFailed, "There is no answer of \(place): \(error.message)", underlyingError: error)
        }
    }
}

extension ODataError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The code, the message and the service's error. The underlying error's text is left out.
    public var description: String {
        "\(code): \(message)" + (serverError.map { " The service says: \($0)" } ?? "")
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
