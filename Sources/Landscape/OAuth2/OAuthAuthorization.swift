import Foundation

/// An authorization that a user has given to a client at an issuer.
struct OAuthAuthorization: Sendable {
    let client: String
    /// The user; nil if the client acts for itself.
    let user: String?
    let scopes: [String]
    let issuer: String
    var nonce: String?
    /// The time of the user's login.
    let authenticated: Date
}
