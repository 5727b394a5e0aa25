/// The reason why there is no certificate.
///
/// `message` says what happened, where, and what to do; no key, password or challenge password is ever part of it.
public struct EnrolmentError: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The server's address, a name or the challenge password cannot be used; nothing was sent.
        public static let invalidRequest = Code("invalidRequest")
        /// 401 or 403: the server does not accept the login or the challenge password.
        public static let notAllowed = Code("notAllowed")
        /// The server refused with another status.
        public static let refused = Code("refused")
        /// 429 or a 5xx: the server cannot answer now.
        public static let serverFailed = Code("serverFailed")
        /// The answer is a page, as from a captive portal, or came from another server.
        public static let notAnEnrolmentServer = Code("notAnEnrolmentServer")
        /// The answer exceeds the limit for certificates.
        public static let tooLarge = Code("tooLarge")
        /// The answer cannot be read as certificates in PEM.
        public static let malformedAnswer = Code("malformedAnswer")
        /// The certificate is for another key than this device's.
        public static let wrongKey = Code("wrongKey")
        /// The certificate has another subject.
        public static let wrongSubject = Code("wrongSubject")
        /// The certificate has expired, or expires too soon.
        public static let expired = Code("expired")
        /// The certificate is not valid yet.
        public static let notYetValid = Code("notYetValid")
        /// The certificate may not be used by a client, or is one of an authority.
        public static let wrongUsage = Code("wrongUsage")
        /// The certificates form no chain, or do not lead to a trusted authority.
        public static let wrongIssuer = Code("wrongIssuer")
        /// The new certificate could not be stored: the old one stays.
        public static let notStored = Code("notStored")
        /// The request failed; `underlyingError` is the `ConversationError`.
        public static let conversationFailed = Code("conversationFailed")
        /// The task was cancelled, or the person cancelled the login.
        public static let cancelled = Code("cancelled")
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
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
