public import HttpConversation

/// A provider's answer.
public enum ProvidedCredential: Sendable {
    /// A user name and password.
    case credential(UsernamePassword, persistence: CredentialPersistence)
    /// No answer; the next provider is asked.
    case none
    /// The person cancelled: the conversation ends with `.cancelled`.
    case cancel
}
