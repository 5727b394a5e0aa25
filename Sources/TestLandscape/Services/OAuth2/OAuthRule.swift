/// The behaviour of a landscape's OAuth2 servers.
package struct OAuthRule: Sendable, Hashable {
    /// The lifetime of an access token, by the landscape's clock.
    package var accessTokenLifetime: Duration = .seconds(60)
    /// The lifetime of a refresh token.
    package var refreshTokenLifetime: Duration = .seconds(86_400)
    /// The lifetime of an authorization code.
    package var codeLifetime: Duration = .seconds(60)
    /// The lifetime of a device code.
    package var deviceCodeLifetime: Duration = .seconds(300)
    /// The interval between two polls of a device. Each poll that comes too early adds five seconds.
    package var deviceInterval: Duration = .seconds(5)
    /// The time without use after which a browser is logged out.
    package var browserLifetime: Duration = .seconds(1800)
    /// The lifetime of an ID token.
    package var idTokenLifetime: Duration = .seconds(300)
    /// Whether the token endpoint and its neighbours answer `invalid_request` to requests with a `Cookie`.
    package var refusesCookies = true
    /// The issuer in the metadata in place of the real one, for mix-up tests.
    package var metadataIssuer: String?

    /// Whether proofs for bound tokens need the present nonce (RFC 9449, 8 and 9).
    package var demandsNonces = false
    /// Whether each accepted proof ends its nonce.
    package var rotatesNonces = false
    /// Whether each proof is answered with a demand for another nonce.
    package var floodsWithNonces = false
    /// Whether clients have to push authorization requests (RFC 9126, 5).
    package var demandsPushedRequests = false

    /// Access tokens for a minute, refresh tokens for a day, no cookies at the token endpoint.
    package init() {}
}
