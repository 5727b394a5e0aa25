public import HttpConversation

/// The reason why an OAuth2 flow has no token. It is the `underlyingError` of `.authenticationFailed`.
///
/// `message` says what happened, where, and what to do; no token, code or secret is ever part of it.
public struct OAuth2Error: Error, Sendable {
    /// An error's code, for programs that decide on it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        private let name: String
        private init(_ name: String) { self.name = name }
        public var description: String { name }

        /// The configuration cannot work: something is missing, malformed or contradictory.
        public static let invalidConfiguration = Code("invalidConfiguration")
        /// A secret would have gone over plain http to another machine (security rule S11).
        public static let insecureEndpoint = Code("insecureEndpoint")
        /// The network failed before the endpoint answered. No login is attempted because of that.
        public static let endpointUnreachable = Code("endpointUnreachable")
        /// 429 or a 5xx: the endpoint cannot answer now; `retryAfter` says when to retry, if known.
        public static let temporarilyUnavailable = Code("temporarilyUnavailable")
        /// The endpoint's answer does not conform to OAuth2, such as the HTML page of a captive portal.
        public static let malformedResponse = Code("malformedResponse")
        /// A `token_type` that cannot be sent (RFC 6749 §7.1), or an unbound token where a bound one was requested (RFC
        /// 9449 §5).
        public static let unsupportedTokenType = Code("unsupportedTokenType")
        /// The endpoint refused the request; `serverError` is its reason (RFC 6749 §5.2).
        public static let refused = Code("refused")
        /// `invalid_grant`: the code, refresh token or password is wrong, or no longer accepted.
        public static let invalidGrant = Code("invalidGrant")
        /// The person, or the server in the person's name, denied access.
        public static let accessDenied = Code("accessDenied")
        /// The redirect is not the answer to this login: wrong address, `state`, or repeated parameters.
        public static let invalidRedirect = Code("invalidRedirect")
        /// The answer comes from another issuer than the configured one (RFC 9207, security rule S12).
        public static let issuerMismatch = Code("issuerMismatch")
        /// The issuer's metadata is unusable.
        public static let discoveryFailed = Code("discoveryFailed")
        /// The ID token is invalid.
        public static let invalidIDToken = Code("invalidIDToken")
        /// A person would have to log in, and there is no web strategy.
        public static let noWebStrategy = Code("noWebStrategy")
        /// The web strategy failed; `underlyingError` is its error.
        public static let loginFailed = Code("loginFailed")
        /// The person closed the login.
        public static let cancelled = Code("cancelled")
        /// The login timed out.
        public static let expired = Code("expired")
        /// The server refuses access tokens that were just issued.
        public static let accessTokenRefused = Code("accessTokenRefused")
        /// The token storage failed.
        public static let storageFailed = Code("storageFailed")
        /// The private key of the client is damaged, of a kind that cannot sign assertions, or its signer failed:
        /// `underlyingError` is the signer's error.
        public static let clientKeyUnusable = Code("clientKeyUnusable")
        /// The client authenticates by a certificate, or its tokens are bound to one. The certificate is missing,
        /// unusable or refused: `underlyingError` says which.
        public static let clientCertificateUnusable = Code("clientCertificateUnusable")
        /// The application's assertion or token is empty, malformed, expired or meant for another server: it was not
        /// sent.
        public static let assertionUnusable = Code("assertionUnusable")
        /// A server does not accept the proofs for bound tokens (DPoP, RFC 9449), or demands one nonce after the other.
        public static let proofRefused = Code("proofRefused")
        /// A server demands another kind of login (RFC 9470), and the login that was just made does not satisfy it, or
        /// the grant has no login.
        public static let insufficientAuthentication = Code("insufficientAuthentication")
        /// Another process took over the tokens because this one was too slow.
        public static let leaseLost = Code("leaseLost")
    }

    /// The error's code.
    public let code: Code
    /// A text that says what happened, where, and what to do about it.
    public let message: String
    /// The server's `error`, such as `invalid_grant`; sanitised.
    public let serverError: String?
    /// The server's `error_description`; sanitised, with the request's secrets removed.
    public let serverDescription: String?
    /// The endpoint that failed.
    public let endpoint: TargetURL?
    /// The status of the endpoint's answer.
    public let status: Int?
    /// The pause that the endpoint asks for.
    public let retryAfter: Duration?
    /// The error below: of the network, the storage or the web strategy.
    public let underlyingError: (any Error)?
    /// Whether the answer is not one of OAuth2 about the request, such as the page of a portal, a firewall or a server
    /// that is being maintained: it says nothing about the tokens.
    var saysNothingOfTokens = false

    /// Creates an error; server supports, storages and web strategies use this.
    public init(
        _ code: Code, _ message: String, serverError: String? = nil, serverDescription: String? = nil,
        endpoint: TargetURL? = nil, status: Int? = nil, retryAfter: Duration? = nil, underlyingError: (any Error)? = nil
    ) {
        self.code = code
        self.message = message
        self.serverError = serverError.map { TerminalText.sanitise($0, limit: 60) }
        self.serverDescription = serverDescription.map { TerminalText.sanitise($0) }
        self.endpoint = endpoint
        self.status = status
        self.retryAfter = retryAfter
        self.underlyingError = underlyingError
    }

    /// Whether the same request may succeed later, without a change.
    public var isTemporary: Bool { code == .endpointUnreachable || code == .temporarilyUnavailable }

    /// Whether the server refused the client, not the tokens, code or password: a wrong secret, key or certificate, or a
    /// grant that the client may not use. GitHub has its own name for a wrong secret. UAA has one for any wrong secret,
    /// so with the password grant it may also mean the person's password.
    public var refusesClient: Bool {
        switch serverError {
        case "invalid_client", "unauthorized_client", "incorrect_client_credentials": true
        case "unauthorized": status == 401
        default: false
        }
    }

    /// Whether a renewal that failed so says nothing against the old tokens: they are used until they expire.
    var leavesOldTokens: Bool { isTemporary || saysNothingOfTokens || code == .storageFailed }

    /// Wraps any error; cancellation and errors of OAuth2 pass unchanged.
    static func wrapping(_ error: any Error, as code: Code, _ message: @autoclosure () -> String) -> any Error {
        if error is OAuth2Error || error is CancellationError { return error }
        if let error = error as? ConversationError, error.code == .cancelled { return CancellationError() }
        return OAuth2Error(code, message(), underlyingError: error)
    }
}

extension OAuth2Error: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Code, message and the server's error. The underlying error's own text is left out.
    public var description: String {
        var text = "\(code): \(message)"
        if let serverError { text += " The server says: \(serverError)" + (serverDescription.map { " (\($0))" } ?? "") }
        return text
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["error": description]) }
}
