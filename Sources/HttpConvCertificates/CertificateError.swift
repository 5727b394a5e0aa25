import HttpConversation

/// The error for a certificate, key or file that cannot be used.
public struct CertificateError: Error, Sendable {
    /// The kind of problem, for code that acts on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The passphrase does not open the file, or the file needs one and none was given; the token refused the PIN.
        public static let wrongPassphrase = Code("wrongPassphrase")
        /// The certificate has expired.
        public static let expired = Code("expired")
        /// The certificate is not valid yet.
        public static let notYetValid = Code("notYetValid")
        /// The key belongs to another certificate.
        public static let keyMismatch = Code("keyMismatch")
        /// The file cannot be read, or does not have the expected content.
        public static let unreadable = Code("unreadable")
        /// The kind of key or encryption is not supported.
        public static let unsupportedKey = Code("unsupportedKey")
        /// There is a certificate, but no private key; or the token has no such certificate.
        public static let certificateWithoutKey = Code("certificateWithoutKey")
        /// The library is not a PKCS#11 module, or cannot be loaded.
        public static let moduleUnusable = Code("moduleUnusable")
        /// The token is not there, or is not there any more.
        public static let tokenRemoved = Code("tokenRemoved")
        /// The token failed; the message has its result.
        public static let tokenFailed = Code("tokenFailed")
        /// The PIN of the token is locked, or the next wrong one would lock it.
        public static let pinLocked = Code("pinLocked")
        /// The name matches several certificates.
        public static let ambiguous = Code("ambiguous")
        /// The name or challenge password cannot be part of a certificate request.
        public static let invalidName = Code("invalidName")
        /// The certificate is for another subject.
        public static let wrongSubject = Code("wrongSubject")
        /// The certificate is not for clients, or is an authority's certificate.
        public static let wrongUsage = Code("wrongUsage")
        /// The certificates do not form a chain, or do not lead to a trusted authority.
        public static let wrongIssuer = Code("wrongIssuer")
    }

    /// The error's code.
    public let code: Code
    /// The problem, its place and the remedy. Contains no secret.
    public let message: String

    /// Creates an error.
    public init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// The error of a conversation that needed the certificate.
    func inConversation(_ challenge: AuthenticationChallenge) -> ConversationError {
        ConversationError(
            .clientCertificateUnusable,
            "The client certificate for \(challenge.target.origin) cannot be used: \(message)", underlyingError: self,
            challenge: challenge)
    }
}

extension CertificateError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
