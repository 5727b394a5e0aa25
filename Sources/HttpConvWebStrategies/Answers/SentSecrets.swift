import Synchronization

/// The secrets that were sent in one login, which no message repeats: some pages show what was entered.
final class SentSecrets: Sendable {
    private let texts = Mutex<Set<String>>([])

    var isEmpty: Bool { texts.withLock(\.isEmpty) }

    func add(_ secrets: [String]) { texts.withLock { $0.formUnion(secrets) } }

    /// A text with these secrets hidden.
    func hidden(in text: String) -> String {
        // Shorter ones are common words, such as "wrong".
        texts.withLock { $0 }.filter { $0.utf8.count >= 6 }.reduce(text) { $0.replacing($1, with: "…") }
    }
}
