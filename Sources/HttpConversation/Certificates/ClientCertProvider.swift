/// Knows client certificates, for servers that ask for one in the TLS handshake.
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
/// It is asked in the middle of the handshake, once for all conversations of a session that are about to use the same
/// server; the answer is kept for the session until the server refuses it. It is asked for the caller's own server only,
/// unless ``serves(_:)`` says otherwise: a certificate tells who somebody is, also to a server that a redirect leads to.
public protocol ClientCertProvider: Sendable {
    /// Answers a server that asks for a certificate: ``AuthenticationChallenge/target`` says which. Look at
    /// ``AuthenticationChallenge/previousFailureCount``: what was refused before is not sent again.
    ///
    /// - Throws: anything; all conversations that wait for the answer fail with `.clientCertificateUnusable`, which
    ///   carries the error
    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity

    /// Whether its certificates are for this destination: asked before `identity(for:)`, so it answers quickly. Default:
    /// the caller's own server (`CredentialDestination.isCallersOwn`).
    func serves(_ destination: CredentialDestination) -> Bool

    /// Whether it may ask a person, for a passphrase say: then its questions take turns with everything else that wants
    /// the screen. Default: true.
    var isInteractive: Bool { get }
}

extension ClientCertProvider {
    public func serves(_ destination: CredentialDestination) -> Bool { destination.isCallersOwn }
    public var isInteractive: Bool { true }
}

/// What a provider of client certificates says.
public enum ProvidedIdentity: Sendable {
    /// This certificate and key.
    case identity(ClientIdentity)
    /// The server is told that there is no certificate, and no other provider is asked: legal, and up to the server.
    case noCertificate
    /// Nothing; the next provider is asked.
    case none
    /// The person said no: the conversation ends with `.cancelled`.
    case cancel
}
