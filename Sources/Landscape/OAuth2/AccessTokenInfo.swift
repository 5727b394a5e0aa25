/// A valid token, as resource servers see it.
struct AccessTokenInfo: Sendable {
    let authorization: OAuthAuthorization
    let scopes: [String]
    let issued: Duration
    let expires: Duration
    let isRefreshToken: Bool
}
