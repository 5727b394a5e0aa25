import HttpConversation
import Synchronization

/// The secrets that were sent in one login, which no message repeats: some pages show what was entered.
final class SentSecrets: Sendable {
    private let texts = Mutex<Set<String>>([])
    /// The conversation whose messages do not repeat them either.
    private let context: ConversationContext?

    init(in context: ConversationContext?) { self.context = context }

    var isEmpty: Bool { texts.withLock(\.isEmpty) }

    func add(_ secrets: [String]) {
        texts.withLock { $0.formUnion(secrets) }
        context?.note(secrets: secrets)
    }

    /// The length of the shortest secret that is searched for, in bytes. Shorter ones are common words, such as
    /// "wrong".
    private static let shortest = 6
    /// The length of a secret's beginning that is hidden at the end of a text: pages and messages are cut.
    private static let beginning = 3

    /// A text with these secrets hidden.
    ///
    /// - Parameter mayBeCut: whether a secret's beginning at the end of the text counts as the secret
    func hidden(in text: String, mayBeCut: Bool) -> String {
        let secrets = texts.withLock { $0 }.filter { $0.utf8.count >= Self.shortest }
        return KnownSecrets(secrets).hidden(in: text, beginningsFrom: mayBeCut ? Self.beginning : nil)
    }
}
