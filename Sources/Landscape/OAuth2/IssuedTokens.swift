/// Tokens as the authorization server has just issued them.
public struct IssuedTokens: Sendable, Hashable {
    /// Opens `/api/…`.
    public let accessToken: String
    /// Gives new tokens; nil where the client may not refresh.
    public let refreshToken: String?
    /// What the access token is good for.
    public let scopes: [String]
    /// How long the access token is good.
    public let lifetime: Duration
}
