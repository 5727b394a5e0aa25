/// What happens once a form of the authorization server is filled in.
enum OAuthPurpose: Sendable {
    case logIn(OAuthRequest)
    case consent(OAuthRequest)
    case device(userCode: String)
}
