import HttpConversation

/// Why a service did not do what it was asked for.
///
/// `message` says what happened, where, and what to do; no value of an entity is ever part of it.
public struct ODataError: Error, Sendable {
    /// What went wrong, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The service's address cannot be used.
        public static let invalidService = Code("invalidService")
        /// A name, value or option of the caller's cannot be sent.
        public static let invalidRequest = Code("invalidRequest")
        /// 401: nobody is logged in, and no flow of the manager's could change that.
        public static let notAuthenticated = Code("notAuthenticated")
        /// 403: who is logged in may not do that.
        public static let notAllowed = Code("notAllowed")
        /// 404 or 410: there is no such thing.
        public static let notFound = Code("notFound")
        /// 409: it contradicts what is there.
        public static let conflict = Code("conflict")
        /// 412: the entity is not what it was; ``ODataError/currentETag`` is what it is now.
        public static let preconditionFailed = Code("preconditionFailed")
        /// 428: the service wants an ETag along with this request.
        public static let preconditionRequired = Code("preconditionRequired")
        /// The service said no in another way; ``ODataError/serverError`` is its reason where it gave one.
        public static let refused = Code("refused")
        /// 429 or a 5xx: the service cannot answer now.
        public static let serverFailed = Code("serverFailed")
        /// A page came instead of an answer, as from a login that no flow recognised; or the answer came from elsewhere.
        public static let notAnODataService = Code("notAnODataService")
        /// The answer is no JSON, Atom, metadata or batch, or built to do harm.
        public static let malformedAnswer = Code("malformedAnswer")
        /// A value is not what it was to be read as.
        public static let wrongType = Code("wrongType")
        /// The answer is longer, deeper or has more in it than ``ODataLimits`` allow.
        public static let tooLarge = Code("tooLarge")
        /// A link of the service's leads out of it, which is not allowed (``ODataStoreOptions/trustedOrigins``).
        public static let linkRefused = Code("linkRefused")
        /// A page's link to the next one leads to a page that was read already.
        public static let pagesInACircle = Code("pagesInACircle")
        /// There are more pages than ``ODataLimits/pages``.
        public static let tooManyPages = Code("tooManyPages")
        /// The answer to a batch does not fit its requests in number, order or ids: what was done is unknown.
        public static let batchMismatch = Code("batchMismatch")
        /// A part of a batch was not done, because another one of its change set failed, or one before it.
        public static let notDone = Code("notDone")
        /// There is no answer; ``ODataError/underlyingError`` is the `ConversationError`.
        public static let conversationFailed = Code("conversationFailed")
        /// The task was cancelled, or the person who was asked to log in said no.
        public static let cancelled = Code("cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String
    /// The status of the service's answer.
    public let status: Int?
    /// What the service says about it.
    public let serverError: ODataServerError?
    /// The ETag that the entity has now, where the service told it with a 412 or when it was asked.
    public internal(set) var currentETag: String?
    /// The error below.
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
    /// Code, message and what the service says. The underlying error's own text is left out.
    public var description: String {
        "\(code): \(message)" + (serverError.map { " The service says: \($0)" } ?? "")
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
