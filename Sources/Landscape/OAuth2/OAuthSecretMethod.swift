/// How a client shows its secret (RFC 6749, 2.3.1).
public enum OAuthSecretMethod: String, Sendable, Hashable, Codable {
    /// In the `Authorization` field.
    case basic = "client_secret_basic"
    /// In the body.
    case post = "client_secret_post"
}
