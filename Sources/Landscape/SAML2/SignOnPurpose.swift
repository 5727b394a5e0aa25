/// What happens once a form of the identity provider is filled in.
enum SignOnPurpose: Sendable {
    /// A browser was sent to the form and has not got it yet.
    case show(SignOn)
    case credentials(SignOn)
    case password(SignOn, user: String)
    case passcode(SignOn, user: String)
    case consent(SignOn)
}
