import HttpConvAuthFlows
import HttpConversation

/// User name and password, for the registered server and for the origins that the program has named (security rule S7).
struct PersonPassword: UsernamePasswordProvider {
    let person: LogonPerson

    func serves(_ destination: CredentialDestination) -> Bool {
        destination.proxy == nil && person.profile?.passwordOrigins.contains(destination.target.origin) == true
    }

    /// Nobody is asked.
    var isInteractive: Bool { false }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        // A refused password stays refused; the next provider may have another.
        guard challenge.previousFailureCount == 0, let credentials = try await person.record().credentials else {
            return .none
        }
        return .credential(credentials, persistence: .session)
    }
}
