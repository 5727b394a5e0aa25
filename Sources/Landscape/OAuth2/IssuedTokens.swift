/// Newly issued tokens of the authorization server.
package struct IssuedTokens: Sendable, Hashable {
    /// The access token for `/api/…`.
    package let accessToken: String
    /// The refresh token; nil if the client may not refresh.
    package let refreshToken: String?
    /// The scopes of the access token.
    package let scopes: [String]
    /// The lifetime of the access token.
    package let lifetime: Duration
}
