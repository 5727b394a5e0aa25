import Foundation
import HttpConversation
import Synchronization

/// The tokens of an exchange, and their key. A class, which is cheap to pass on before each request.
final class SentTokens: Sendable {
    let key: OAuth2TokenKey
    let tokens: OAuth2Tokens

    init(key: OAuth2TokenKey, tokens: OAuth2Tokens) {
        self.key = key
        self.tokens = tokens
    }
}

/// The OAuth2 flow's state in one conversation; the filter itself has none.
struct OAuth2Progress: Sendable {
    /// The tokens of the last exchange.
    var sent: SentTokens?
    /// The time when OAuth2 was first involved in this conversation.
    var begin: Date?
    private var refused: [OAuth2TokenKey: Set<Redacted<String>>] = [:]
    private var renewed: [OAuth2TokenKey: Set<OAuth2Tokens.Source>] = [:]
    private var hasReported = false

    /// The access tokens for a key that the server refused.
    func refused(_ key: OAuth2TokenKey) -> Set<Redacted<String>> { refused[key] ?? [] }

    /// Whether tokens of this source were obtained during this conversation, and refused.
    func hasTried(_ source: OAuth2Tokens.Source, _ key: OAuth2TokenKey) -> Bool {
        renewed[key]?.contains(source) == true
    }

    /// Records that the last exchange was challenged for this key.
    mutating func noteChallenge(_ key: OAuth2TokenKey) {
        guard let sent, sent.key == key else { return }
        refused[key, default: []].insert(sent.tokens.accessToken)
        if let begin, sent.tokens.receivedAt >= begin { renewed[key, default: []].insert(sent.tokens.source) }
        self.sent = nil
    }

    /// Records a success; returns the key if it is the first one with tokens.
    mutating func noteSuccess() -> OAuth2TokenKey? {
        guard !hasReported, let sent else { return nil }
        hasReported = true
        return sent.key
    }
}

/// Holds the ``OAuth2Progress`` of one conversation in its context. A class, to be changed in place.
final class OAuth2ProgressStore: Sendable {
    let progress: Mutex<OAuth2Progress>

    init(_ progress: OAuth2Progress) { self.progress = Mutex(progress) }
}
