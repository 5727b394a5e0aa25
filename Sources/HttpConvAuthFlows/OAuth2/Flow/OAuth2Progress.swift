import Foundation
import HttpConversation
import Synchronization

/// The tokens that an exchange carried, and whose they are: a class, for it is passed on before each request.
final class SentTokens: Sendable {
    let key: OAuth2TokenKey
    let tokens: OAuth2Tokens

    init(key: OAuth2TokenKey, tokens: OAuth2Tokens) {
        self.key = key
        self.tokens = tokens
    }
}

/// What the OAuth2 flow remembers of one conversation: the filter itself remembers nothing.
struct OAuth2Progress: Sendable {
    /// The tokens that the last exchange carried.
    var sent: SentTokens?
    /// When this conversation first had to do with OAuth2.
    var begin: Date?
    private var refused: [OAuth2TokenKey: Set<Redacted<String>>] = [:]
    private var renewed: [OAuth2TokenKey: Set<OAuth2Tokens.Source>] = [:]
    private var hasReported = false

    /// Access tokens for a key that the server refused.
    func refused(_ key: OAuth2TokenKey) -> Set<Redacted<String>> { refused[key] ?? [] }

    /// Whether tokens of this source were tried for a key and were made during this conversation.
    func hasTried(_ source: OAuth2Tokens.Source, _ key: OAuth2TokenKey) -> Bool {
        renewed[key]?.contains(source) == true
    }

    /// The last exchange was challenged for this key.
    mutating func noteChallenge(_ key: OAuth2TokenKey) {
        guard let sent, sent.key == key else { return }
        refused[key, default: []].insert(sent.tokens.accessToken)
        if let begin, sent.tokens.receivedAt >= begin { renewed[key, default: []].insert(sent.tokens.source) }
        self.sent = nil
    }

    /// Whether this is the first success with tokens.
    mutating func noteSuccess() -> OAuth2TokenKey? {
        guard !hasReported, let sent else { return nil }
        hasReported = true
        return sent.key
    }
}

/// The ``OAuth2Progress`` of one conversation, where its context keeps it: a class, to be changed in place.
final class OAuth2ProgressStore: Sendable {
    let progress: Mutex<OAuth2Progress>

    init(_ progress: OAuth2Progress) { self.progress = Mutex(progress) }
}
