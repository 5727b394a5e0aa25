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

    var isClientAlone: Bool { if case .clientCredentials = self { true } else { false } }

    var name: String {
        switch self {
        case .authorizationCode: "authorization code"
        case .password: "password"
        case .clientCredentials: "client credentials"
        case .deviceAuthorization: "device authorization"
        }
    }
}

extension OAuth2Grant: CustomStringConvertible {
    /// The grant's name.
    public var description: String { name }
}
