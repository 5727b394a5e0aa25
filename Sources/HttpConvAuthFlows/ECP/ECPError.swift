/// The reason why a login by SAML's ECP profile failed. It is the `underlyingError` of a
/// ``/HttpConversation/ConversationError``.
public struct ECPError: Error, Sendable, Hashable {
    /// The kind of problem, for code that acts on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// A URL of the configuration cannot be used.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// The service provider's request is damaged, or is not what the profile demands.
        public static let invalidRequest = Code("invalidRequest")
        /// The identity provider's answer is damaged, or is not what the profile demands.
        public static let invalidResponse = Code("invalidResponse")
        /// The URL that gets the assertion is not that of the service provider. No assertion was sent.
        public static let consumerDiffers = Code("consumerDiffers")
        /// The identity provider does not let the person in.
        public static let loginRefused = Code("loginRefused")
        /// The service provider does not accept the assertion.
        public static let assertionRefused = Code("assertionRefused")
        /// The service provider asks for the login again right after one.
        public static let challengedAgain = Code("challengedAgain")
        /// The service provider wants a login on a page.
        public static let pageWanted = Code("pageWanted")
        /// A server could not be reached.
        public static let serverFailed = Code("serverFailed")
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
}

extension ECPError: CustomStringConvertible {
    /// The code and the message.
    public var description: String { "\(code): \(message)" }
}
