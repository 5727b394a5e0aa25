import HttpC
import HttpCTerminal
import HttpConvLogon
import HttpConvLogonScreens
import Synchronization

/// Fills a logon's screens from the profile and the command line, and asks a person for the rest. Each value is used
/// once, so that a refused value is not tried again.
final class PreparedLogonView: LogonView {
    /// The source of a value, which is read when it is needed.
    struct Value: Sendable {
        let source: SecretSource
        /// The value's name, for messages.
        let name: String
    }

    private let values: Mutex<[LogonField.Name: Value]>
    private let person: any LogonView
    private let isAttended: Bool

    /// - Parameter person: the view for questions to the person; it names the missing values if nobody is there
    init(
        _ values: [LogonField.Name: Value], then person: any LogonView,
        isAttended: Bool = TerminalPrompter.isAvailable
    ) {
        self.values = Mutex(values)
        self.person = person
        self.isAttended = isAttended
    }

    func show(_ screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer {
        if !screen.fields.isEmpty, let answer = try await prepared(for: screen) { return answer }
        if !isAttended, !screen.fields.isEmpty, !screen.problem.isEmpty {
            throw LogonError(.operationNotAllowed, screen.problem)
        }
        return try await person.show(screen)
    }

    func operationResponded(_ operation: LogonOperation, _ error: LogonError?) async {
        await person.operationResponded(operation, error)
    }

    func close() async { await person.close() }

    /// The prepared answer; nil if a person has to answer.
    private func prepared(for screen: LogonScreen) async throws(LogonError) -> LogonScreenAnswer? {
        let known = try await take(screen.fields)
        // A screen that comes back has refused the values.
        guard screen.problem.isEmpty || !known.isEmpty else { return nil }
        let isComplete = screen.fields.allSatisfy { field in
            if known[field.id] != nil { return true }
            // Only a person or an option chooses the account.
            guard field.kind != .choice else { return false }
            // The screen may not know whether a secret is needed, so ask if a person is there.
            return field.kind == .secret
                ? !field.isRequired && !isAttended : !field.isRequired || !field.value.isEmpty
        }
        guard isComplete else {
            giveBack(known)
            return nil
        }
        return LogonScreenAnswer(screen.actions.first ?? .proceed, known.mapValues(\.value))
    }

    private func take(
        _ fields: [LogonField]
    ) async throws(LogonError) -> [LogonField.Name: Redacted<String>] {
        var known: [LogonField.Name: Redacted<String>] = [:]
        for field in fields {
            guard let value = values.withLock({ $0.removeValue(forKey: field.id) }) else { continue }
            do throws(CommandFailure) {
                known[field.id] = try await SecretReader.read(value.source, value.name)
            } catch {
                throw LogonError(.operationNotAllowed, error.message, underlyingError: error)
            }
        }
        return known
    }

    private func giveBack(_ known: [LogonField.Name: Redacted<String>]) {
        values.withLock { values in
            for (name, value) in known { values[name] = Value(source: .literal(value), name: "\(name)") }
        }
    }
}
