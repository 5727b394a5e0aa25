import HttpConvFormats
import HttpConversation
import Synchronization

/// The forms that were sent in one login, to recognise a page that asks for the same again, and the secrets that a
/// person entered, which no message repeats.
final class SentForms: Sendable {
    private struct Key: Hashable {
        let origin: Origin
        let signature: Set<String>
    }
    /// The texts of the page of a form that was sent.
    private struct Before {
        var alerts: Set<String>
        var blocks: Set<String>
        /// Whether the page had asked again already.
        var isAgain: Bool
    }

    /// The secrets that the person entered.
    private let secrets: SentSecrets
    private let pages = Mutex<[Key: Before]>([:])
    /// The text of the last page that waits.
    private let waiting = Mutex("")

    /// - Parameter context: the conversation with the login
    init(in context: ConversationContext) { secrets = SentSecrets(in: context) }

    /// Notes that a form is about to be sent.
    ///
    /// - Parameters:
    ///   - isAgain: whether its page asked again
    ///   - secrets: the secrets in it
    func note(_ form: HTMLForm, on page: LoadedPage, isAgain: Bool, secrets: [String]) {
        self.secrets.add(secrets)
        let key = Key(origin: page.url.origin, signature: form.signature)
        guard !key.signature.isEmpty else { return }
        pages.withLock {
            $0[key] = Before(alerts: Set(page.html.alerts), blocks: Set(page.html.blocks), isAgain: isAgain)
        }
    }

    /// The reason that a page gives for asking again, which may be empty; nil if it asks for the first time.
    ///
    /// It is an error message by its role or class, else the text that the page did not have before, up to the form.
    ///
    /// - Parameter hide: hides secrets in each part, which may be cut
    func refusal(on page: LoadedPage, _ forms: [HTMLForm], hiding hide: (String) -> String) -> String? {
        let before = pages.withLock { pages in
            forms.compactMap { pages[Key(origin: page.url.origin, signature: $0.signature)] }.first
        }
        guard let before else { return nil }
        let alerts = page.html.alerts.filter { !before.alerts.contains($0) }
        if !alerts.isEmpty { return alerts.map(hide).joined(separator: " ") }
        if before.isAgain, !page.html.alerts.isEmpty { return page.html.alerts.map(hide).joined(separator: " ") }
        return page.html.blocks.filter { !before.blocks.contains($0) }.prefix(3).map(hide).joined(separator: " ")
    }

    /// Whether the person has entered a secret.
    var hasSecrets: Bool { !secrets.isEmpty }

    /// Whether a page that waits has another text than the one before. Notes the text.
    func isNew(_ text: String) -> Bool {
        waiting.withLock { last in
            defer { last = text }
            return text != last
        }
    }

    /// A page's text without the secrets that the person entered, and without those of the prepared answers.
    func hidingSecrets(_ text: String, with answers: SingleUseAnswers?, mayBeCut: Bool) -> String {
        secrets.hidden(in: answers?.hidingSecrets(text, mayBeCut: mayBeCut) ?? text, mayBeCut: mayBeCut)
    }
}
