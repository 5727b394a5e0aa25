/// The source of the answer for a form's field. The answer is fetched when a login begins.
enum AnswerSource: Sendable {
    case text(PasswordSource)
    /// The base32 secret of one-time codes.
    case totp(PasswordSource)
}
