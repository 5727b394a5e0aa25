/// A fault of the token endpoint, see ``Landscape/failTokenRequests(_:times:grant:)``.
///
/// The first group of faults replaces the answer and changes no state. The second group alters a good answer.
package enum OAuthTokenFault: String, Sendable, Hashable, Codable, CaseIterable {
    /// 429 with `Retry-After: 2`.
    case tooManyRequests = "too-many-requests"
    /// 503 without a body.
    case unavailable
    /// 500 with a page of HTML.
    case htmlError = "html-error"
    /// 200 with a page of HTML, as from a captive portal.
    case captivePortal = "captive-portal"
    /// 200 with an `error` of `server_error`.
    case errorInOK = "error-in-ok"
    /// 200 with an `error` of `invalid_grant`.
    case invalidGrantInOK = "invalid-grant-in-ok"
    /// 400 `invalid_grant`, though the grant is good.
    case invalidGrant = "invalid-grant"

    /// Tokens are issued, but the connection ends without an answer.
    case lostAnswer = "lost-answer"
    /// JSON that ends too early.
    case malformedJSON = "malformed-json"
    /// A JSON array.
    case notAnObject = "not-an-object"
    /// No `access_token`.
    case missingAccessToken = "missing-access-token"
    /// An `access_token` that is a number.
    case numericAccessToken = "numeric-access-token"
    /// No `expires_in`.
    case missingExpiresIn = "missing-expires-in"
    /// An `expires_in` that is a text without a number.
    case textExpiresIn = "text-expires-in"
    /// An `expires_in` that is a number in quotes.
    case quotedExpiresIn = "quoted-expires-in"
    /// An `expires_in` of -1.
    case negativeExpiresIn = "negative-expires-in"
    /// An `expires_in` of 10²⁰.
    case hugeExpiresIn = "huge-expires-in"
    /// No `token_type`.
    case missingTokenType = "missing-token-type"
    /// A `token_type` of `bearer`, even if the token is bound to a key.
    case bearerTokenType = "bearer-token-type"
    /// A `token_type` of `mac`.
    case unknownTokenType = "unknown-token-type"
    /// No `refresh_token`; a refresh then leaves the old one valid.
    case missingRefreshToken = "missing-refresh-token"
    /// No `id_token`, though `openid` was requested.
    case missingIDToken = "missing-id-token"
    /// An ID token with `alg` none and no signature.
    case algNone = "alg-none"
    /// An ID token whose signature is wrong.
    case badSignature = "bad-signature"
    /// An ID token of another issuer.
    case wrongIssuer = "wrong-issuer"
    /// An ID token for another client.
    case wrongAudience = "wrong-audience"
    /// An ID token signed with a key that is not published.
    case unknownKey = "unknown-key"
    /// An ID token that expired an hour ago.
    case expiredIDToken = "expired-id-token"
    /// An ID token with another nonce.
    case wrongNonce = "wrong-nonce"

    /// Whether the fault replaces the answer without processing the request.
    var replacesAnswer: Bool {
        switch self {
        case .tooManyRequests, .unavailable, .htmlError, .captivePortal, .errorInOK, .invalidGrantInOK,
            .invalidGrant:
            true
        default: false
        }
    }
}
