/// Where the answer for a form's field comes from. It is fetched when a login begins.
enum AnswerSource: Sendable {
    case text(PasswordSource)
    /// The base32 secret of one-time codes.
    case totp(PasswordSource)
}
