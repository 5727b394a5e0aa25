import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// A password under trial. Records whether a server asked for it.
final class CandidatePassword: UsernamePasswordProvider {
    private let credential: UsernamePassword
    private let origin: Origin
    private let asked = Atomic<Bool>(false)

    init(_ credential: UsernamePassword, _ origin: Origin) {
        self.credential = credential
        self.origin = origin
    }

    var wasAsked: Bool { asked.load(ordering: .acquiring) }

    func serves(_ destination: CredentialDestination) -> Bool {
        destination.proxy == nil && destination.target.origin == origin
    }

    /// Nobody is asked.
    var isInteractive: Bool { false }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        asked.store(true, ordering: .releasing)
        return challenge.previousFailureCount == 0 ? .credential(credential, persistence: .session) : .none
    }
}
