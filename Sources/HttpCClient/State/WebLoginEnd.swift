/// The end of a page's last login, so that one login is enough for all processes of a profile.
struct WebLoginEnd: Codable, Equatable, Sendable {
    /// The number of logins so far.
    var count = 0
    /// The page's message when it refused prepared answers; nil after a success.
    var refusal: String?
}
