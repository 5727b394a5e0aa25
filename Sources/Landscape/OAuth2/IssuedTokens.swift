/// Tokens as the authorization server has just issued them.
package struct IssuedTokens: Sendable, Hashable {
    /// Opens `/api/…`.
    package let accessToken: String
    /// Gives new tokens; nil where the client may not refresh.
    package let refreshToken: String?
    /// What the access token is good for.
    package let scopes: [String]
    /// How long the access token is good.
    package let lifetime: Duration
}
