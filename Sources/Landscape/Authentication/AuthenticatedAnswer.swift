/// What a protected resource answers once somebody is logged in.
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
