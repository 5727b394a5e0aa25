/// The answer of a protected resource after a login.
struct AuthenticatedAnswer: Encodable {
    let authenticated = true
    let user: String
    let realm: String
    let scheme: String
    let method: String
    let path: String

    private enum CodingKeys: CodingKey {
        case authenticated, user, realm, scheme, method, path
    }
}
