/// A challenge filter's answer.
public enum ChallengeAnswer: Sendable {
    /// No answer: the next filter is asked.
    case notHandled
    /// Repeat the exchange with this credential.
    case use(any Credential, CredentialPersistence)
    /// Something has changed: repeat the exchange unchanged.
    case retry
    /// Continue the TLS handshake with this certificate; nil: the server is told that there is none. Only for
    /// ``AuthenticationMethod/clientCertificate``.
    case present(ClientIdentity?)
    /// Accept the server's key for this origin from now on, despite its certificate's problems. Only for
    /// ``AuthenticationMethod/serverTrust``. There, `notHandled` leaves the decision to the platform's verifier, and an
    /// error ends the connection.
    case trust
    /// Run a step first, such as asking a person; its result is the answer.
    case after(ConversationStep<ChallengeAnswer>)
    /// The person cancelled: the conversation ends with `.cancelled`.
    case cancel
}
