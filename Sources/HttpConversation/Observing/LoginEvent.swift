/// A step of a login, as flows, providers and web strategies report it (``ConversationContext/notify(_:)``).
///
/// Write a `default` into a `switch` over it: a minor version may add a case.
public enum LoginEvent: Sendable, Equatable {
    /// A server that asks gets a password. The source is for people, such as `of the profile`.
    case passwordGiven(source: String)
    /// A person is asked for something on a terminal, such as `the password of alice`.
    case personAsked(what: String)
    /// A password goes over plain http to another machine.
    case passwordInTheClear(ProtectionSpace)
    /// No provider was asked about a challenge.
    case passwordWithheld(ProtectionSpace, reason: WithheldReason)
    /// There is no Kerberos ticket for a server or proxy that asks for one, or the ticket could not be used. The reason
    /// is for people.
    case ticketUnavailable(ProtectionSpace, reason: String)
    /// A Kerberos ticket goes to a server or proxy. The principal is nil if the library chooses it.
    case ticketGiven(ProtectionSpace, principal: String?)
    /// A page in a browser sends a request to a server that may ask for the client certificate. The request goes
    /// without it, or not at all (security rule S7). The reason is for people.
    case certificateWithheld(origin: Origin, reason: String)
    /// The flow needs new tokens.
    case tokensNeeded(TokenNeed)
    /// A request is about to go to a token endpoint.
    case tokensAsked(endpoint: TargetURL, grant: Grant)
    /// The server issued tokens. The lifetime of the access token is in seconds; nil if the server does not say it.
    case tokensObtained(isRefresh: Bool, lifetime: Int?)
    /// The server no longer accepts a refresh token.
    case refreshRefused
    /// The server accepted the access token for the first time in a conversation.
    case tokensSucceeded(support: String, storageURL: TargetURL)
    /// The storage of tokens failed. New tokens that could not be written are kept in memory until it works again. The
    /// code is that of the storage's own error, such as `diskFull`, or `storageFailed`.
    case storageFailed(StorageOperation, code: String)
    /// A login on web pages begins. The origin is nil if another application shows the login. `strategy` is the type of
    /// the web strategy.
    case webLoginStarted(Purpose, origin: Origin?, strategy: String)
    /// One of several ways to show the login was chosen: `by` is for people, such as `in the terminal`.
    case webLoginShown(Purpose, origin: Origin?, by: String)
    /// The login ended.
    case webLoginFinished(Purpose, origin: Origin?, strategy: String, outcome: Outcome)

    /// The purpose of a login on web pages.
    public struct Purpose: Hashable, Sendable, CustomStringConvertible {
        /// The name as people know it.
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Web single sign-on of SAML2.
        public static let saml2 = Purpose("SAML2")
        /// An authorization code of OAuth2.
        public static let oauth2 = Purpose("OAuth2")
        /// A one-time code as the second factor.
        public static let otp = Purpose("OTP")
        /// Any other login on web pages that ends in cookies, such as a login form.
        public static let webLogin = Purpose("web")
    }

    /// The outcome of a login on web pages.
    public enum Outcome: Hashable, Sendable, CustomStringConvertible {
        /// The person is logged in.
        case succeeded
        /// The person closed the login.
        case cancelled
        /// The time limit ran out.
        case timedOut
        /// All conversations that waited for the login were cancelled.
        case abandoned
        /// An error ended the login. The code is the error's; nil if it has none.
        case failed(code: String?)

        /// A word, such as `timedOut`, or the code of the error.
        public var description: String {
            switch self {
            case .succeeded: "succeeded"
            case .cancelled: "cancelled"
            case .timedOut: "timedOut"
            case .abandoned: "abandoned"
            case .failed(let code): code ?? "failed"
            }
        }
    }

    /// The reason why no provider was asked for a password.
    public enum WithheldReason: String, Sendable {
        /// No provider serves the server.
        case otherServer
        /// Basic would send it over plain http to a server that the caller did not name (security rule S7).
        case plainHTTP
    }

    /// The reason why a flow needs tokens.
    public enum TokenNeed: String, Sendable {
        /// There are no tokens.
        case missing = "none"
        /// The access token has expired, or expires soon.
        case ended
        /// The server does not accept the access token.
        case refused
    }

    /// The operation that a storage of tokens failed to do.
    public enum StorageOperation: String, Sendable {
        /// Read the tokens under a key.
        case read
        /// Write new tokens.
        case write
        /// Remove tokens.
        case remove
        /// Take or hold the lease for a renewal.
        case lease
    }

    /// The `grant_type` of a token request (RFC 6749 and its extensions).
    public enum Grant: String, Sendable {
        /// The code of a login (§4.1.3).
        case authorizationCode = "authorization_code"
        /// User name and password (§4.3.2).
        case password
        /// The client's own credentials (§4.4.2).
        case clientCredentials = "client_credentials"
        /// A refresh token (§6).
        case refreshToken = "refresh_token"
        /// A login on another device (RFC 8628 §3.4).
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        /// A JSON web token about a person or service (RFC 7523 §2.1).
        case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        /// A SAML 2.0 assertion about a person or service (RFC 7522 §2.1).
        case saml2Bearer = "urn:ietf:params:oauth:grant-type:saml2-bearer"
        /// A token that is exchanged for another one (RFC 8693 §2.1).
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    }
}
