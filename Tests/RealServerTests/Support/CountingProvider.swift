import HttpC
import Synchronization

/// Always gives the same answer, and counts the calls.
final class CountingProvider: UsernamePasswordProvider {
    private let answer: ProvidedCredential
    private let count = Atomic<Int>(0)
    private let isReady: @Sendable () throws -> Bool

    /// - Parameter isReady: called until it returns true, before the answer is given
    init(answer: ProvidedCredential, when isReady: @escaping @Sendable () throws -> Bool = { true }) {
        self.answer = answer
        self.isReady = isReady
    }

    convenience init(_ user: TestUsers.User, when isReady: @escaping @Sendable () throws -> Bool = { true }) {
        let credential = UsernamePassword(username: user.name, password: user.password)
        self.init(answer: .credential(credential, persistence: .session), when: isReady)
    }

    /// The tests use several servers, which all know the users.
    func serves(_ destination: CredentialDestination) -> Bool { true }
    var isInteractive: Bool { false }

    var timesAsked: Int { count.load(ordering: .relaxed) }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        count.add(1, ordering: .relaxed)
        while try !isReady() { try await Task.sleep(for: .milliseconds(20)) }
        return answer
    }
}
