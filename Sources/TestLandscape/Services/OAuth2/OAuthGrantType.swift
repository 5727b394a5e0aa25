/// The supported values of `grant_type`.
public enum OAuthGrantType: String, Sendable, Hashable, Codable, CaseIterable {
    /// RFC 6749, 4.1.
    case authorizationCode = "authorization_code"
    /// RFC 6749, 6.
    case refreshToken = "refresh_token"
    /// RFC 6749, 4.3.
    case password
    /// RFC 6749, 4.4.
    case clientCredentials = "client_credentials"
    /// RFC 8628, 3.4.
    case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
    /// RFC 7523, 2.1.
    case jwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer"
    /// RFC 7522, 2.1.
    case samlBearer = "urn:ietf:params:oauth:grant-type:saml2-bearer"
    /// RFC 8693.
    case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
}
