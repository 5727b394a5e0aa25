/// The options of `init`: answers that are known before a question is asked.
package struct InitSettings: Sendable {
    /// --yes: nobody is asked.
    package var isUnattended = false
    /// The name of the new profile.
    package var name: String?
    /// The URLs that it is for.
    package var match: String?
    /// The user name for Basic and Digest.
    package var user: String?
    /// The source of the password; nil: asked at each login.
    package var password: SecretSource?
    package var issuer: String?
    package var clientID: String?
    package var clientSecret: SecretSource?
    package var scopes: [String]?
    package var grant: OAuth2Table.Grant?

    /// The user name and the source of the password, if both are given: the answers of a login form, too.
    var login: (user: String, password: SecretSource)? {
        guard let user, let password else { return nil }
        return (user, password)
    }

    package init() {}
}
