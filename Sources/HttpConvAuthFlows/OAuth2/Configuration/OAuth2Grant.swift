/// How a client obtains its first tokens.
public enum OAuth2Grant: Sendable {
    /// A person logs in on the server's own pages (RFC 6749 §4.1 with RFC 7636).
    case authorizationCode(AuthorizationCodeGrant)
    /// The client sends the person's password (RFC 6749 §4.3). For servers that support nothing better.
    case password(UsernamePassword)
    /// The client acts for itself (RFC 6749 §4.4).
    case clientCredentials
    /// A person logs in on another device (RFC 8628).
    case deviceAuthorization(DeviceAuthorizationGrant)
    /// The application hands in a JSON web token about a person or service (RFC 7523 §2.1).
    case jwtBearer(OAuth2AssertionSource)
    /// The application hands in a SAML 2.0 assertion about a person or service (RFC 7522).
    case saml2Bearer(OAuth2AssertionSource)
    /// The application hands in a token to exchange (RFC 8693).
    case tokenExchange(TokenExchangeGrant)

    var isClientAlone: Bool { if case .clientCredentials = self { true } else { false } }

    /// Whether a person has to log in.
    var needsPerson: Bool {
        switch self {
        case .authorizationCode, .deviceAuthorization: true
        case .password, .clientCredentials, .jwtBearer, .saml2Bearer, .tokenExchange: false
        }
    }

    var name: String {
        switch self {
        case .authorizationCode: "authorization code"
        case .password: "password"
        case .clientCredentials: "client credentials"
        case .deviceAuthorization: "device authorization"
        case .jwtBearer: "JWT bearer"
        case .saml2Bearer: "SAML 2.0 bearer"
        case .tokenExchange: "token exchange"
        }
    }
}

extension OAuth2Grant: CustomStringConvertible {
    /// The grant's name.
    public var description: String { name }
}
