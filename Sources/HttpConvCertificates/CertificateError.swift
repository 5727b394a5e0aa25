import HttpConversation

/// Why a certificate, its key or its file cannot be used.
public struct CertificateError: Error, Sendable {
    /// What is wrong, for code that decides on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The passphrase does not open the file, or there is none for a file that wants one.
        public static let wrongPassphrase = Code("wrongPassphrase")
        /// The certificate was valid until a moment that is over.
        public static let expired = Code("expired")
        /// The certificate will be valid, but is not yet.
        public static let notYetValid = Code("notYetValid")
        /// The key belongs to another certificate.
        public static let keyMismatch = Code("keyMismatch")
        /// The file cannot be read, or is not what it should be.
        public static let unreadable = Code("unreadable")
        /// A kind of key, or of encryption, that is not supported.
        public static let unsupportedKey = Code("unsupportedKey")
        /// There is a certificate, but no private key.
        public static let certificateWithoutKey = Code("certificateWithoutKey")
        /// A name, or a challenge password, that no request for a certificate can carry.
        public static let invalidName = Code("invalidName")
        /// The certificate is for somebody else.
        public static let wrongSubject = Code("wrongSubject")
        /// The certificate is not for clients, or is one of an authority.
        public static let wrongUsage = Code("wrongUsage")
        /// The certificates do not lead from one to the next, or not to the authority that is trusted.
        public static let wrongIssuer = Code("wrongIssuer")
    }

    /// What is wrong.
    public let code: Code
    /// What is wrong, where, and what to do about it; nothing secret.
    public let message: String

    /// Describes a failure.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The same as the error of a conversation that wanted to use the certificate.
    func inConversation(_ challenge: AuthenticationChallenge) -> ConversationError {
        ConversationError(
            .clientCertificateUnusable,
            "The client certificate for \(challenge.target.origin) cannot be used: \(message)", underlyingError: self,
            challenge: challenge)
    }
}

extension CertificateError: CustomStringConvertible {
    /// Code and message.
    public var description: String { "\(code): \(message)" }
}
