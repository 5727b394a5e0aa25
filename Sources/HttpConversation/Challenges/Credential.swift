public import HTTPTypes

/// Something that answers challenges of one protection space, such as a user name with a password.
///
/// A credential computes its `Authorization` value for each exchange anew; it is attached there and nowhere else.
public protocol Credential: Sendable, CustomStringConvertible {
    /// The scheme it answers.
    var method: AuthenticationMethod { get }

    /// Whether both prove the same identity with the same secret: what recognises an answer that was already refused.
    func hasSameSecret(as other: any Credential) -> Bool

    /// The same secret for another challenge of the same space (a new nonce, say); nil where it does not fit.
    func answering(_ challenge: AuthenticationChallenge) -> (any Credential)?

    /// Whether requests for `target` may carry it before anybody asks (RFC 7617 §2.2, RFC 7616 §3.3, rule S10). Not asked
    /// for a proxy's: every request through it may.
    func covers(_ target: TargetURL) -> Bool

    /// Whether whoever gave it lets it go there: asked before every exchange that would carry it, also where the realm
    /// has been answered before (security rules S7 and S13). Default: wherever its space is.
    func mayGo(to destination: CredentialDestination) -> Bool

    /// The value of `Authorization` for one exchange, or of `Proxy-Authorization` where a proxy has asked: its
    /// ``ConversationRequest/requestTarget`` is what that one reads.
    func authorization(for request: ConversationRequest) async throws -> String

    /// Told the response of an exchange that carried it; Digest reads `Authentication-Info` here, or
    /// `Proxy-Authentication-Info`.
    func received(_ response: HTTPResponse)
}

extension Credential {
    public func received(_ response: HTTPResponse) {}
    public func mayGo(to destination: CredentialDestination) -> Bool { true }
}

/// How long a credential is kept once it was accepted.
public enum CredentialPersistence: Hashable, Sendable {
    /// For the conversation that asked for it.
    case conversation
    /// For the session: sent ahead to its protection space from then on.
    case session
}

/// What a challenge filter says.
public enum ChallengeAnswer: Sendable {
    /// Not mine, or nothing to say: the next filter is asked.
    case notHandled
    /// Repeat the exchange with this credential.
    case use(any Credential, CredentialPersistence)
    /// Something changed; repeat the exchange as it is.
    case retry
    /// Go on with the TLS handshake and show this certificate; nil: the server is told that there is none. Only for
    /// ``AuthenticationMethod/clientCertificate``.
    case present(ClientIdentity?)
    /// The server's key is the right one, whatever is wrong with its certificate: the key is accepted for this origin from
    /// now on. Only for ``AuthenticationMethod/serverTrust``, where `notHandled` leaves it to the platform's verifier, and an
    /// error ends the connection.
    case trust
    /// Something has to happen first, such as asking a person; what comes of it is the answer.
    case after(ConversationStep<ChallengeAnswer>)
    /// The person said no: the conversation ends with `.cancelled`.
    case cancel
}
