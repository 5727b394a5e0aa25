import HttpC

/// One login of a .netrc file.
struct NetrcEntry: Sendable {
    /// The host, in the form of an ``Origin``; nil: `default`, for every host.
    let host: String?
    var login: String?
    var password: Redacted<String>?

    /// User name and password, if both are there.
    var user: UserArgument? {
        guard let login, let password else { return nil }
        return UserArgument(name: login, password: password, isFromNetrc: true)
    }
}
