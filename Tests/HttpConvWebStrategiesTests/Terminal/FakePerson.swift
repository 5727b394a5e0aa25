import HttpConvAuthFlows
import HttpConvWebStrategies
import HttpConversation
import Synchronization
import Testing

/// A person at a terminal, as a test writes them down: answers by label, notes what was asked.
final class FakePerson: FormPrompter {
    struct Nobody: Error {}

    private let state: Mutex<(answers: [String: [String]], asked: [String], pages: [FormPage])>

    /// - Parameter answers: by label, in order; of a choice the labels, separated by commas; `yes` or `no`
    init(_ answers: [String: [String]] = [:]) { state = Mutex((answers, [], [])) }

    var asked: [String] { state.withLock { $0.asked } }
    var pages: [FormPage] { state.withLock { $0.pages } }

    func show(_ page: FormPage) async throws { state.withLock { $0.pages.append(page) } }

    func enter(_ label: String, prefilled: String, isSecret: Bool) async throws -> Redacted<String> {
        Redacted(
            try answer(
                label, note: isSecret ? "\(label) (secret)" : prefilled.isEmpty ? label : "\(label)=\(prefilled)"))
    }

    func choose(
        _ label: String, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int> {
        let marked = options.enumerated().map { selected.contains($0.offset) ? "*\($0.element)" : $0.element }
        let answer = try answer(label, note: "\(label): \(marked.joined(separator: "|"))")
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
