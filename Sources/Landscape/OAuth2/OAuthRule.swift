/// Lifetimes and habits of the landscape's OAuth2 servers.
package struct OAuthRule: Sendable, Hashable {
    /// How long an access token opens the resources, by the landscape's clock.
    package var accessTokenLifetime: Duration = .seconds(60)
    /// How long a refresh token may be used.
    package var refreshTokenLifetime: Duration = .seconds(86_400)
    /// How long an authorization code may be redeemed.
    package var codeLifetime: Duration = .seconds(60)
    /// How long a device code may be approved and polled.
    package var deviceCodeLifetime: Duration = .seconds(300)
    /// How long a device has to wait between two polls; each poll that comes too early adds five seconds.
    package var deviceInterval: Duration = .seconds(5)
    /// How long a browser stays logged in without being used.
    package var browserLifetime: Duration = .seconds(1800)
    /// How long an ID token is valid.
    package var idTokenLifetime: Duration = .seconds(300)
    /// Whether the token endpoint and its neighbours answer `invalid_request` to requests with a `Cookie`.
    package var refusesCookies = true
    /// What the metadata says instead of the real issuer, for mix-up tests.
    package var metadataIssuer: String?

    /// Access tokens for a minute, refresh tokens for a day, no cookies at the token endpoint.
    package init() {}
}
