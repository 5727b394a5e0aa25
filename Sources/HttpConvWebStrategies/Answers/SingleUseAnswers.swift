import HttpConvAuthFlows
import HttpConvFormats
package import HttpConversation
import Synchronization

/// Returns the answers of one login, each only once.
package final class SingleUseAnswers: Sendable {
    private let source: FormAnswers
    private let used = Mutex<Set<String>>([])
    /// Names whose answers went into a hidden field. The page may ask for them once more when it shows the field.
    private let sentAhead = Mutex<Set<String>>([])
    /// The answers that were used and may be secrets, which no error may repeat.
    private let secrets: SentSecrets

    init(_ source: FormAnswers, in context: ConversationContext?) {
        self.source = source
        secrets = SentSecrets(in: context)
    }

    /// Whether there is an answer, used or not, for a field of this name.
    package func knows(_ name: String) -> Bool { source.answers[name] != nil }

    /// Whether there is an answer for a field of this name that was not sent yet.
    package func hasUnused(_ name: String) -> Bool {
        knows(name) && !used.withLock { $0.contains(name) } && !sentAhead.withLock { $0.contains(name) }
    }

    /// Whether an answer was sent in this login.
    var hasBegun: Bool { used.withLock { !$0.isEmpty } }

    /// The origins that the answers may be sent to.
    package var origins: Set<Origin> { source.origins }

    /// Whether the answer for a field of this name is a one-time code.
    package func isCode(_ name: String) -> Bool {
        if case .totp? = source.answers[name] { true } else { false }
    }

    /// Whether the answer for a field is a secret: also a password that the page asks for as a text.
    func isSecret(_ field: FillableForm.Field) -> Bool {
        field.isPassword || isCode(field.name) || SecretNames.contains(field.name)
    }

    /// Whether an error may repeat the answer for a field: a choice of the page's own, or the name of a person.
    private func isHarmless(_ field: FillableForm.Field) -> Bool {
        guard !isSecret(field) else { return false }
        let name = field.name.asciiLowercased
        return field.isChoice || Self.nameParts.contains { name.contains(bytesOf: $0) }
    }

    private static let nameParts = ["user", "login", "mail", "account", "name", "uid", "ident"]

    /// The name of the answer for a field: its own if there is one.
    func name(for field: HTMLField) -> String {
        let name = field.name ?? ""
        return knows(name) ? name : field.answerName
    }

    /// Whether there is an answer for a field, used or not.
    func knows(_ field: HTMLField) -> Bool { knows(name(for: field)) }

    /// Whether the answer for a field is a one-time code.
    func takesCode(_ field: HTMLField) -> Bool { isCode(name(for: field)) }

    /// Whether an answer presses a button.
    func presses(_ button: HTMLField) -> Bool { name(pressing: button, id: nil) != nil }

    /// The name of the answer that presses a button: its `name`, else its `id` or label. The answer is its value or its
    /// label, so that no other answer presses it, whatever a page calls its buttons.
    func name(pressing button: HTMLField, id: String?, isForScripts: Bool = false) -> String? {
        let name = button.name ?? ""
        let names = name.isEmpty || isForScripts ? [name, id ?? "", button.label] : [name]
        return names.first { key in
            guard !key.isEmpty, case .text(let text) = source.answers[key] else { return false }
            // A button without a name, a value and a label is a picture.
            return button.isPressed(by: text.value) && !(key != name && text.value.isEmpty)
        }
    }

    /// The answers for a form, by the names of its fields. Waits if the current one-time code was already used.
    ///
    /// - Parameter canAsk: whether a person fills in the remaining fields
    /// - Throws: ``WebLoginError``: `answersNotAllowed`, `answersRefused`, `missingAnswer`
    package func fill(_ form: FillableForm, canAsk: Bool) async throws -> [String: Redacted<String>] {
        let fields = form.fields.filter { knows($0.name) && !holdsItsAnswer($0) }
        if !fields.isEmpty { try requireAllowed(form) }
        if let again = used.withLock({ used in fields.first { used.contains($0.name) } }) { throw refused(again, form) }
        if !canAsk, !form.skipsValidation { try requireComplete(form) }
        // Marked before the wait for a code, so that no second form of this login gets them meanwhile.
        used.withLock { $0.formUnion(fields.filter { !$0.isShownAhead }.map(\.name)) }
        sentAhead.withLock { $0.formUnion(fields.filter(\.isShownAhead).map(\.name)) }
        var values: [String: Redacted<String>] = [:]
        for name in Set(fields.map(\.name)) {
            switch source.answers[name] {
            case .text(let text): values[name] = text
            case .totp(let secret): values[name] = try await source.codes.next(for: secret)
            case nil: break
            }
        }
        secrets.add(fields.filter { !isHarmless($0) }.compactMap { values[$0.name]?.value })
        return values
    }

    /// Whether both origins of a form may have answers, so that it may be sent without consent.
    package func allows(page: Origin, action: Origin) -> Bool {
        [page, action].allSatisfy { source.origins.contains($0) && $0.isSecure }
    }

    /// Whether a field already shows its answer, as some pages do with values from the page before.
    private func holdsItsAnswer(_ field: FillableForm.Field) -> Bool {
        guard case .text(let text) = source.answers[field.name], !field.isPassword else { return false }
        return text.value == field.value
    }

    /// Refuses a form whose page or action is not one of the answers' origins.
    func requireAllowed(_ form: FillableForm) throws(WebLoginError) {
        for origin in [form.page, form.action] {
            guard origin.isSecure else {
                throw WebLoginError(
                    .answersNotAllowed,
                    "The prepared answers do not go to \(origin): it is plain http on another machine.",
                    pageText: form.pageText)
            }
            guard source.origins.contains(origin) else {
                throw WebLoginError(
                    .answersNotAllowed,
                    "The prepared answers may not go to \(origin): add it to the origins of the answers if it is to be trusted with them.",
                    pageText: form.pageText)
            }
        }
    }

    private func requireComplete(_ form: FillableForm) throws(WebLoginError) {
        let open = form.fields.filter { !knows($0.name) && $0.value.isEmpty }
        let texts = form.fields.filter { !$0.isChoice && !$0.isPassword }
        let isPrepared = form.hasAnsweredButton || form.fields.contains { knows($0.name) }
        let isAnswered = hasBegun && isPrepared || texts.contains { knows($0.name) || !$0.value.isEmpty }
        // Pages seldom mark required fields: passwords are required, and so are text fields if none has an answer,
        // unless the form has another one and the page before has had the user name.
        var missing = open.filter { $0.isRequired || $0.isPassword || !$0.isChoice && !isAnswered }
        guard !missing.isEmpty else { return }
        // The page may have filled in the name of somebody else.
        if form.shape?.isLogin == true, missing.contains(where: \.isPassword), texts.count == 1, !knows(texts[0].name),
            !texts[0].value.isEmpty
        {
            missing.insert(texts[0], at: 0)
        }
        throw Self.missing(
            missing.map { $0.missing(in: form.shape) }, on: form.page, pageText: hidingSecrets(form.pageText))
    }

    /// The error about fields without an answer.
    static func missing(
        _ fields: [WebLoginError.MissingField], on page: Origin, pageText: String
    ) -> WebLoginError {
        var unique: [WebLoginError.MissingField] = []
        for field in fields where !unique.contains(where: { $0.name == field.name }) { unique.append(field) }
        let named = unique.filter { !$0.isFilledIn }
        let shown = named.prefix(10).map { "\"\(TerminalText.sanitise($0.name, limit: 60))\"" }
        let names =
            named.count > shown.count || shown.count == 1
            ? shown.joined(separator: ", ") + (named.count > shown.count ? " and more" : "")
            : shown.dropLast().joined(separator: ", ") + " and " + (shown.last ?? "")
        let text = named.count == 1 ? "there is no prepared answer" : "there are no prepared answers"
        return WebLoginError(
            .missingAnswer,
            "The page at \(page) asks for \(names), for which \(text), and there is nobody to ask.",
            pageText: pageText, missingFields: unique)
    }

    /// A page's text without the secrets that were sent: some pages repeat what was entered.
    func hidingSecrets(_ text: String, mayBeCut: Bool = true) -> String {
        secrets.hidden(in: text, mayBeCut: mayBeCut)
    }

    private func refused(_ field: FillableForm.Field, _ form: FillableForm) -> WebLoginError {
        WebLoginError(
            .answersRefused,
            "The page at \(form.page) asks for \"\(TerminalText.sanitise(field.name, limit: 60))\" again: it did not accept the prepared answer, which was sent once only.\(form.refusalHint)",
            pageText: form.pageText.isEmpty ? nil : hidingSecrets(form.pageText))
    }
}
