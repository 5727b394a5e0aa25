/// The reason why a conversation has no final response.
///
/// `message` says what happened, where, and what to do about it; it never contains a secret.
public struct ConversationError: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The URL cannot be parsed or has no host.
        public static let invalidURL = Code("invalidURL")
        /// A scheme other than http and https, in the request or in a redirect.
        public static let unsupportedScheme = Code("unsupportedScheme")
        /// A method, header field or option of the request is invalid.
        public static let invalidRequest = Code("invalidRequest")
        /// The transport lacks a capability that the manager's filters need, or a configurator has an invalid argument.
        public static let invalidConfiguration = Code("invalidConfiguration")

        /// The host name has no address.
        public static let hostNotResolved = Code("hostNotResolved")
        /// No TCP connection could be made.
        public static let connectionFailed = Code("connectionFailed")
        /// The proxy's host name has no address.
        public static let proxyNotResolved = Code("proxyNotResolved")
        /// The proxy refused the tunnel; the message has its answer.
        public static let proxyRefused = Code("proxyRefused")
        /// The proxy does not speak the configured protocol, or its negotiation failed.
        public static let proxyHandshakeFailed = Code("proxyHandshakeFailed")
        /// The TLS handshake failed for a reason other than the peer's certificate.
        public static let tlsFailed = Code("tlsFailed")
        /// The peer's certificate is not trusted, has expired or is for another host: `underlyingError` is a
        /// ``ServerTrustError`` with the details, if the transport knows them.
        public static let certificateNotTrusted = Code("certificateNotTrusted")
        /// The public key of the server differs from the pinned ones.
        public static let publicKeyNotPinned = Code("publicKeyNotPinned")
        /// The server requires a client certificate, and there was none.
        public static let clientCertificateRequired = Code("clientCertificateRequired")
        /// The server refused the client certificate that it got.
        public static let clientCertificateRefused = Code("clientCertificateRefused")
        /// The server asked for a client certificate, and the existing one is unusable; `underlyingError` says why.
        public static let clientCertificateUnusable = Code("clientCertificateUnusable")
        /// A file of trusted certificates is unusable.
        public static let trustRootsUnusable = Code("trustRootsUnusable")
        /// A time limit was exceeded: connect, idle, network or interaction.
        public static let timedOut = Code("timedOut")
        /// The server closed the connection without sending a byte of a response.
        public static let emptyResponse = Code("emptyResponse")
        /// The response violates HTTP, or must not be trusted.
        public static let malformedResponse = Code("malformedResponse")
        /// The response body ended before its announced end.
        public static let bodyCut = Code("bodyCut")
        /// A `Content-Encoding` is unknown or damaged, or expands beyond the limit.
        public static let contentCoding = Code("contentCoding")
        /// A head, or a buffered body, exceeds its limit.
        public static let tooLarge = Code("tooLarge")
        /// Sending failed after the connection was made.
        public static let sendFailed = Code("sendFailed")
        /// Receiving failed after the response had begun.
        public static let receiveFailed = Code("receiveFailed")
        /// A server violated HTTP/2 in a way that ends the connection, such as a flood of frames.
        public static let http2Failed = Code("http2Failed")
        /// A server ended one stream of HTTP/2 with an error.
        public static let http2StreamReset = Code("http2StreamReset")
        /// The transport was shut down.
        public static let shutDown = Code("shutDown")

        /// A redirect has no, several or an unreadable `Location`.
        public static let invalidRedirect = Code("invalidRedirect")
        /// A redirect that the policy forbids, such as https to http.
        public static let redirectRefused = Code("redirectRefused")
        /// More redirects than `maximumRedirects`.
        public static let tooManyRedirects = Code("tooManyRedirects")
        /// More attempts than `maximumAttempts`; `attempts` lists them with their reasons.
        public static let tooManyAttempts = Code("tooManyAttempts")

        /// The request body was used and cannot be sent again; `challenge` has the challenge that required it.
        public static let bodyNotReplayable = Code("bodyNotReplayable")
        /// The request body's source failed, such as a missing file.
        public static let bodyUnavailable = Code("bodyUnavailable")
        /// The status is not a success, as the caller demanded; `response` has it and the body.
        public static let unsuccessfulStatus = Code("unsuccessfulStatus")
        /// The response's body cannot be decoded as requested; `response` has it.
        public static let bodyNotDecodable = Code("bodyNotDecodable")
        /// The response could not be written to its destination.
        public static let outputFailed = Code("outputFailed")
        /// A partial download cannot be resumed: it is damaged, belongs to another resource, or its resource is
        /// unknown.
        public static let notResumable = Code("notResumable")
        /// The task was cancelled, or the person who was asked cancelled.
        public static let cancelled = Code("cancelled")
        /// A credential provider or login flow failed; `underlyingError` is its error.
        public static let authenticationFailed = Code("authenticationFailed")
        /// A filter threw an error of its own, which is `underlyingError`.
        public static let filterFailed = Code("filterFailed")
        /// An internal error of the engine. Please report it.
        public static let internalInconsistency = Code("internalInconsistency")
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public internal(set) var message: String
    /// The error of the flow, filter or library below.
    public var underlyingError: (any Error)?
    /// The conversation's id, once there is one.
    public internal(set) var conversationID: ConversationID?
    /// The part that a conversation adds: ``attempts``, ``challenge``, ``login`` and ``response``. Without a type here,
    /// because the types of those use this one.
    var circumstances: (any Sendable)?

    /// Creates an error without a challenge.
    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Creates an error without a challenge, with the error below.
    init(_ code: Code, _ message: String, underlyingError: (any Error)?) {
        self.init(code, message)
        self.underlyingError = underlyingError
    }

    /// A copy with a text appended to its message.
    public func adding(_ text: String) -> ConversationError {
        var error = self
        error.message += " \(text)"
        return error
    }

    /// Wraps any error as a conversation error; recognises cancellation.
    package static func wrapping(_ error: any Error, as code: Code, _ message: @autoclosure () -> String)
        -> ConversationError
    {
        if let error = error as? ConversationError { return error }
        if error is CancellationError { return .cancelled }
        return ConversationError(code, message(), underlyingError: error)
    }

    package static var cancelled: ConversationError { ConversationError(.cancelled, "The conversation was cancelled.") }
}

extension ConversationError: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code and message. The underlying error's own text is left out: it may quote a server or provider.
    public var description: String { "\(code): \(message)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["code": code.description, "message": message]) }
}
