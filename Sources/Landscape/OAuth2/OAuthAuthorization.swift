import Foundation

/// What somebody has allowed a client, and where.
struct OAuthAuthorization: Sendable {
    let client: String
    /// nil where the client acts for itself.
    let user: String?
    let scopes: [String]
    let issuer: String
    var nonce: String?
    /// When the person logged in.
    let authenticated: Date
}
