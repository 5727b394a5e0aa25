public import HttpConversation

/// The same client certificate for all servers that the provider was made for.
public struct StaticIdentityProvider: ClientCertProvider {
    private let identity: ClientIdentity
    private let origins: [Origin]

    /// Creates a provider of one certificate.
    ///
    /// - Parameters:
    ///   - identity: the certificate with its key
    ///   - origins: the servers that it is for, and https on the same hosts; empty: the origin of the URL that
    ///     the application requests, but nothing that a redirect or a login leads to
    public init(_ identity: ClientIdentity, for origins: [Origin] = []) {
        self.identity = identity
        self.origins = origins
    }

    public func serves(_ destination: CredentialDestination) -> Bool { destination.isServed(by: origins) }

    /// False: no person is asked.
    public var isInteractive: Bool { false }

    public func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        .identity(identity)
    }
}
