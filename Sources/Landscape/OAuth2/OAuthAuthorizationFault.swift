/// A fault of an authorization answer, see ``Landscape/failAuthorizations(_:times:)``.
package enum OAuthAuthorizationFault: String, Sendable, Hashable, Codable, CaseIterable {
    /// `iss` names another issuer.
    case wrongIssuer = "wrong-issuer"
    /// No `iss`, though the metadata promises it.
    case missingIssuer = "missing-issuer"
    /// Another `state`.
    case wrongState = "wrong-state"
    /// No `state`.
    case missingState = "missing-state"
    /// An error instead of a code.
    case serverError = "server-error"
    /// A code that the server did not issue.
    case foreignCode = "foreign-code"
}
