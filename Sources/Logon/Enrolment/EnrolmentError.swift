/// Why there is no certificate.
///
/// `message` says what happened, where, and what to do; no key, password or challenge password is ever part of it.
public struct EnrolmentError: Error, Sendable {
    /// What went wrong, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The server's address, a name or the challenge password cannot be used; nothing was sent.
        public static let invalidRequest = Code("invalidRequest")
        /// 401 or 403: the server does not accept who asks, or the challenge password.
        public static let notAllowed = Code("notAllowed")
        /// The server said no in another way.
        public static let refused = Code("refused")
        /// 429 or a 5xx: the server cannot answer now.
        public static let serverFailed = Code("serverFailed")
        /// A page came instead of an answer, as from a captive portal; or the answer came from another server.
        public static let notAnEnrolmentServer = Code("notAnEnrolmentServer")
        /// The answer is longer than certificates are.
        public static let tooLarge = Code("tooLarge")
        /// The answer is no certificate in PEM, or one that cannot be read.
        public static let malformedAnswer = Code("malformedAnswer")
        /// The certificate is for another key than this device's.
        public static let wrongKey = Code("wrongKey")
        /// The certificate is for somebody else.
        public static let wrongSubject = Code("wrongSubject")
        /// The certificate's time is over, or too short to be of use.
        public static let expired = Code("expired")
        /// The certificate is not valid yet.
        public static let notYetValid = Code("notYetValid")
        /// The certificate may not be used by a client, or may vouch for others.
        public static let wrongUsage = Code("wrongUsage")
        /// The certificates do not lead from one to the next, or not to the authority that is trusted.
        public static let wrongIssuer = Code("wrongIssuer")
        /// The new certificate could not be stored: the old one stays.
        public static let notStored = Code("notStored")
        /// There is no answer; `underlyingError` is the `ConversationError`.
        public static let conversationFailed = Code("conversationFailed")
        /// The task was cancelled, or the person who was asked to log in said no.
        public static let cancelled = Code("cancelled")
    }

    /// What went wrong.
    public let code: Code
    /// What happened, where, and what to do about it.
    public let message: String
    /// The error below.
    public let underlyingError: (any Error)?

    /// Creates an error; implementations of ``CertificateEnrolment`` use this.
    public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.underlyingError = underlyingError
    }
}

extension EnrolmentError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and message. The underlying error's own text is left out.
    public var description: String { "\(code): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
