import HttpConvAuthFlows
import HttpConversation

/// Asks without the secrets that were entered before: a page may repeat them in each of its words, such as the name of
/// a field, its value, a choice or a button (security rule S20).
struct HidingPrompter: FormPrompter {
    let prompter: any FormPrompter
    let sent: SentForms
    let answers: SingleUseAnswers?

    func show(_ page: FormPage) async throws { try await prompter.show(page) }

    func enter(
        _ label: String, for origin: Origin, prefilled: String, isSecret: Bool
    ) async throws -> Redacted<String> {
        let shown = hidden(prefilled)
        let text = try await prompter.enter(hidden(label), for: origin, prefilled: shown, isSecret: isSecret)
        // A person who accepts the shown value means the field's own one.
        return shown != prefilled && text.value == shown ? Redacted("") : text
    }

    func choose(
        _ label: String, for origin: Origin, from options: [String], selected: Set<Int>, allowsSeveral: Bool
    ) async throws -> Set<Int> {
        try await prompter.choose(
            hidden(label), for: origin, from: options.map(hidden), selected: selected, allowsSeveral: allowsSeveral)
    }

    func confirm(_ question: String) async throws -> Bool { try await prompter.confirm(hidden(question)) }

    private func hidden(_ text: String) -> String {
        sent.hidingSecrets(text, with: answers, mayBeCut: text.hasSuffix("…"))
    }
}
