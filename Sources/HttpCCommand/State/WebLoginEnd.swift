/// How the last of a page's logins ended, so that one is enough for all processes of a profile.
struct WebLoginEnd: Codable, Equatable, Sendable {
    /// How many there were.
    var count = 0
    /// What the page said to prepared answers that it refused; nil after a success.
    var refusal: String?
}
