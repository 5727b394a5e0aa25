import HttpConvFormats
import HttpConvPlatform
import HttpConversation

/// The exchange of a token for another one (RFC 8693): a service acts for the person whose token it got.
///
/// ```swift
/// let exchange = TokenExchangeGrant(subject: .init(.accessToken) { _ in incoming.token }, audiences: ["orders"])
/// ```
/// Without an actor the service impersonates the subject; with one the new token says who acts for whom (delegation).
/// Tokens are stored by server and the support's name, so give each person a configurator, or a support with a name of
/// their own.
public struct TokenExchangeGrant: Sendable {
    /// A token that is handed in.
    public struct Token: Sendable {
        /// The kind of the token.
        public let type: OAuth2TokenType
        let obtain: @Sendable (OAuth2AssertionRequest) async throws -> String

        /// - Parameters:
        ///   - type: the kind of the token
        ///   - obtain: gets the token; called for each exchange
        public init(
            _ type: OAuth2TokenType, _ obtain: @escaping @Sendable (OAuth2AssertionRequest) async throws -> String
        ) {
            self.type = type
            self.obtain = obtain
        }
    }

    /// The token of the person or service for whom tokens are requested.
    public let subject: Token
    /// The token of the service that acts for the subject; nil: impersonation.
    public let actor: Token?
    /// The names of the services that the new token is for.
    public let audiences: [String]
    /// The kind of token to request; nil: the server decides.
    public let requestedType: OAuth2TokenType?

    /// Creates a grant.
    public init(
        subject: Token, actor: Token? = nil, audiences: [String] = [], requestedType: OAuth2TokenType? = nil
    ) {
        self.subject = subject
        self.actor = actor
        self.audiences = audiences
        self.requestedType = requestedType
    }

    /// The parameters of the request (RFC 8693 §2.1).
    func parameters(
        of configuration: OAuth2Configuration, in context: ConversationContext
    ) async throws -> [(name: String, value: String)] {
        let request = OAuth2AssertionRequest(configuration, audience: configuration.identifier, context: context)
        var parameters = [(name: String, value: String)]()
        for (name, token) in [("subject_token", subject), ("actor_token", actor)] {
            guard let token else { continue }
            let value = try await String(token.obtain(request).trimmingBlanks)
            guard !value.isEmpty else {
                throw OAuth2Error(
                    .assertionUnusable, "The \(name) for \(configuration.tokenEndpoint) is empty.",
                    endpoint: configuration.tokenEndpoint)
            }
            parameters += [(name, value), ("\(name)_type", token.type.uri)]
        }
        if let requestedType { parameters.append(("requested_token_type", requestedType.uri)) }
        return parameters + audiences.map { ("audience", $0) } + configuration.scopeParameter
    }
}

/// The kind of a token in an exchange (RFC 8693 §3).
public struct OAuth2TokenType: Hashable, Sendable {
    /// The identifier.
    public let uri: String

    /// A kind by its identifier.
    public init(uri: String) { self.uri = uri }

    private init(_ name: String) { uri = "urn:ietf:params:oauth:token-type:" + name }

    /// An access token of this authorization server.
    public static let accessToken = OAuth2TokenType("access_token")
    /// A refresh token of this authorization server.
    public static let refreshToken = OAuth2TokenType("refresh_token")
    /// An ID token.
    public static let idToken = OAuth2TokenType("id_token")
    /// A JSON web token.
    public static let jwt = OAuth2TokenType("jwt")
    /// A SAML 1.1 assertion in base64url.
    public static let saml1 = OAuth2TokenType("saml1")
    /// A SAML 2.0 assertion in base64url.
    public static let saml2 = OAuth2TokenType("saml2")
}
