import HttpConvAuthFlows
import HttpConversation
import Synchronization

/// A provider with scripted answers, which counts its questions.
final class CountingProvider: UsernamePasswordProvider {
    private let script: @Sendable (AuthenticationChallenge, _ index: Int) async throws -> ProvidedCredential
    private let servesAll: Bool
    private let state = Mutex<(asked: [AuthenticationChallenge], running: Int, peak: Int)>(([], 0, 0))

    /// - Parameter servesAll: whether it answers servers that a redirect led to
    init(
        servesAll: Bool = false,
        _ script: @escaping @Sendable (AuthenticationChallenge, _ index: Int) async throws -> ProvidedCredential
    ) {
        self.servesAll = servesAll
        self.script = script
    }

    /// A provider with one answer.
    convenience init(_ answer: ProvidedCredential) { self.init { _, _ in answer } }

    /// A provider with one user name and password.
    convenience init(_ username: String, _ password: String, _ persistence: CredentialPersistence = .session) {
        self.init(.credential(UsernamePassword(username: username, password: password), persistence: persistence))
    }

    /// The questions so far.
    var asked: [AuthenticationChallenge] { state.withLock { $0.asked } }
    var count: Int { asked.count }
    /// The maximum number of questions open at the same time.
    var peak: Int { state.withLock { $0.peak } }

    func serves(_ destination: CredentialDestination) -> Bool { servesAll || destination.isCallersOwn }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        let index = state.withLock { state in
            state.asked.append(challenge)
            state.running += 1
            state.peak = max(state.peak, state.running)
            return state.asked.count - 1
        }
        defer { state.withLock { $0.running -= 1 } }
        return try await script(challenge, index)
    }
}

/// A provider's error.
struct ProviderFailure: Error, Equatable {
    let text: String
}
