import HttpConvAuthFlows
import HttpConversation

/// The certificate, for the registered server.
struct PersonCertificate: ClientCertProvider {
    let person: LogonPerson

    func serves(_ destination: CredentialDestination) -> Bool {
        destination.proxy == nil && person.isServer(destination.target.origin)
    }

    /// Nobody is asked.
    var isInteractive: Bool { false }

    func identity(for challenge: AuthenticationChallenge) async throws -> ProvidedIdentity {
        guard challenge.previousFailureCount == 0,
            let identity = try await person.identity(for: challenge.target)
        else { return .none }
        return .identity(identity)
    }
}
