import HttpC
import Synchronization

/// A person who knows a password, and counts the questions.
final class DemoProvider: UsernamePasswordProvider {
    private let login: UsernamePassword
    private let questions = Mutex(0)

    init(_ username: String, _ password: String) {
        login = UsernamePassword(username: username, password: password)
    }

    /// The number of questions to the person.
    var timesAsked: Int { questions.withLock { $0 } }

    func credential(for challenge: AuthenticationChallenge) async throws -> ProvidedCredential {
        questions.withLock { $0 += 1 }
        return .credential(login, persistence: .session)
    }
}
