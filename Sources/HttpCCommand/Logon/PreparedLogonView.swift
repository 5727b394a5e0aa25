import HttpC
import Logon
import Synchronization

/// Fills a logon's screens from the profile and the command line; what they do not say, a person is asked. Each value is
/// used once: what was refused is not tried again.
final class PreparedLogonView: LogonView {
    private let values: Mutex<[LogonField.Name: Redacted<String>]>
    private let person: any LogonView
    private let isSomebodyThere: Bool

    /// - Parameter person: who is asked; says what is missing where nobody is there
    init(
        _ values: [LogonField.Name: Redacted<String>], then person: any LogonView,
        isSomebodyThere: Bool = TerminalPrompter.isAvailable
    ) {
        self.values = Mutex(values)
        self.person = person
        self.isSomebodyThere = isSomebodyThere
    }

    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        if !screen.fields.isEmpty, let answer = prepared(for: screen) { return answer }
        if !isSomebodyThere, !screen.fields.isEmpty, !screen.problem.isEmpty {
            throw LogonError(.operationNotAllowed, screen.problem)
        }
        return try await person.show(screen)
    }

    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {
        await person.operationResponded(operation, error)
    }

    func close() async { await person.close() }

    /// Nil where a person has to say something.
    private func prepared(for screen: LogonScreen) -> LogonScreenAnswer? {
        values.withLock { values in
            let known = screen.fields.filter { values[$0.id] != nil }.map(\.id)
            // A screen that comes back wants something else than it was given.
            guard screen.problem.isEmpty || !known.isEmpty else { return nil }
            let isComplete = screen.fields.allSatisfy { field in
                if values[field.id] != nil { return true }
                // Whether a secret is needed is not always known: who is there is asked.
                return field.kind == .secret
                    ? !field.isRequired && !isSomebodyThere : !field.isRequired || !field.value.isEmpty
            }
            guard isComplete else { return nil }
            var given: [LogonField.Name: String] = [:]
            for name in known { given[name] = values.removeValue(forKey: name)?.value }
            return LogonScreenAnswer(screen.actions.first ?? .proceed, given)
        }
    }
}
