public import HttpConversation

/// What a provider says.
public enum ProvidedCredential: Sendable {
    /// This user name and password.
    case credential(UsernamePassword, persistence: CredentialPersistence)
    /// Nothing; the next provider is asked.
    case none
    /// The person said no: the conversation ends with `.cancelled`.
    case cancel
}
