import HttpConvAuthFlows
import HttpConvWebStrategies
import HttpConversation
import Synchronization
import Testing

/// A simulated person at a terminal: answers by label, and records the questions.
final class FakePerson: FormPrompter {
    private let state: Mutex<(answers: [String: [String]], asked: [String], pages: [FormPage], askers: [Origin])>

    /// - Parameter answers: by label, in order; for a choice a label, or several separated by commas; `yes` or `no`
    init(_ answers: [String: [String]] = [:]) { state = Mutex((answers, [], [], [])) }

    var asked: [String] { state.withLock { $0.asked } }
    var pages: [FormPage] { state.withLock { $0.pages } }

    func show(_ page: FormPage) async throws { state.withLock { $0.pages.append(page) } }

    /// The origins of the page's questions.
    var askers: [Origin] { state.withLock { $0.askers } }

    func enter(
        _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
    ) async throws -> Redacted<String> {
        state.withLock { $0.askers.append(origin) }
        return Redacted(
            try answer(
                label, note: isSecret ? "\(label) (secret)" : prefilled.isEmpty ? label : "\(label)=\(prefilled)"))
    }

    func choose(
        _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int> {
        state.withLock { $0.askers.append(origin) }
        let marked = options.enumerated().map { selected.contains($0.offset) ? "*\($0.element)" : $0.element }
        let answer = try answer(label, note: "\(label): \(marked.joined(separator: "|"))")
        if let index = options.firstIndex(of: answer) { return [index] }
        return answer.isEmpty
            ? selected : Set(answer.split(separator: ",").compactMap { options.firstIndex(of: String($0)) })
    }

    func confirm(_ question: String) async throws -> Bool { try answer(question, note: question) == "yes" }

    private func answer(_ label: String, note: String) throws -> String {
        let answer = state.withLock { state -> String? in
            state.asked.append(note)
            guard let first = state.answers[label]?.first else { return nil }
            state.answers[label]?.removeFirst()
            return first
        }
        guard let answer else { throw WebLoginError(.cancelled, "The person does not know \(label).") }
        return answer
    }
}
