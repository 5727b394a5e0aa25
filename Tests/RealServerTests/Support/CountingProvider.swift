import HttpC
import Synchronization

/// Gives one answer and counts how often it was asked.
final class CountingProvider: UsernamePasswordProvider {
    private let answer: ProvidedCredential
    private let count = Atomic<Int>(0)

    init(answer: ProvidedCredential) { self.answer = answer }

    convenience init(_ user: TestUsers.User) {
        let credential = UsernamePassword(username: user.name, password: user.password)
        self.init(answer: .credential(credential, persistence: .session))
    }

    var timesAsked: Int { count.load(ordering: .relaxed) }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        count.add(1, ordering: .relaxed)
        return answer
    }
}
