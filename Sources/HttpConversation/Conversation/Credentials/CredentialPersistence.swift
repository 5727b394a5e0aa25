/// How long a credential is kept once it was accepted.
public enum CredentialPersistence: Hashable, Sendable {
    /// For the conversation that asked for it.
    case conversation
    /// For the session: sent ahead to its protection space from then on.
    case session
}
