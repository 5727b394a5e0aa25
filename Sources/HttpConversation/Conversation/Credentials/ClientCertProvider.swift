/// Provides client certificates, for servers that ask for one in the TLS handshake.
///
/// Read a file or a directory with the providers of `HttpConvCertificates`, or write one of your own:
///
/// ```swift
/// struct Cards: ClientCertProvider {
///     func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
///         guard let card = try await reader.card(for: challenge.target.origin) else { return .none }
///         return .identity(card)
///     }
/// }
/// ```
/// It is asked during the handshake, once for all conversations of a session that are about to use the same server. The
/// answer is kept for the session until the server refuses it. It is asked for the caller's own server only, unless
/// ``serves(_:)`` says otherwise: a certificate identifies the person, also to a server that a redirect leads to.
public protocol ClientCertProvider: Sendable {
    /// Answers a server that asks for a certificate; ``AuthenticationChallenge/target`` names it. Check
    /// ``AuthenticationChallenge/previousFailureCount``: a refused certificate is not sent again.
    ///
    /// - Throws: any error; all conversations that wait for the answer fail with `.clientCertificateUnusable`, with it
    ///   as the underlying error
    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity

    /// Whether its certificates are for this destination. Called before `identity(for:)`, so it must be fast. Default:
    /// the caller's own server (`CredentialDestination.isCallersOwn`).
    func serves(_ destination: CredentialDestination) -> Bool

    /// Whether it may ask a person, such as for a passphrase: then its questions wait for the screen. Default: true.
    var isInteractive: Bool { get }
}

extension ClientCertProvider {
    public func serves(_ destination: CredentialDestination) -> Bool { destination.isCallersOwn }
    public var isInteractive: Bool { true }
}

/// A provider's answer.
public enum ProvidedIdentity: Sendable {
    /// A certificate with its key.
    case identity(ClientIdentity)
    /// The server is told that there is no certificate, and no other provider is asked. TLS allows that; the server
    /// decides.
    case noCertificate
    /// No answer; the next provider is asked.
    case none
    /// The person cancelled: the conversation ends with `.cancelled`.
    case cancel
}
