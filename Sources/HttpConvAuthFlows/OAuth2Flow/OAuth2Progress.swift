import HttpConvPlatform
import HttpConversation
import Synchronization

/// The tokens of an exchange, and their key.
struct SentTokens: Sendable {
    let key: OAuth2TokenKey
    let tokens: OAuth2Tokens
    let target: TargetURL
}

/// The OAuth2 flow's state in one conversation; the filter itself has none.
struct OAuth2Progress: Sendable {
    /// The tokens of the last exchange.
    var sent: SentTokens?
    /// The time when OAuth2 was first involved in this conversation.
    var begin: Date?
    /// The challenges; nil in most conversations.
    private var challenges: Challenges?
    private var hasReported = false

    private struct Challenges {
        var refused: [OAuth2TokenKey: Set<Redacted<String>>] = [:]
        var renewed: [OAuth2TokenKey: Set<OAuth2Tokens.Source>] = [:]
        var steppedUp: Set<OAuth2TokenKey> = []
    }

    /// Whether the last exchange was repeated with a new proof.
    var hasRenewedProof = false
    /// The keys whose tokens were renewed after a 401 without a Bearer or DPoP challenge.
    var renewedForBareRefusal: Set<OAuth2TokenKey> = []

    /// The access tokens for a key that the server refused.
    func refused(_ key: OAuth2TokenKey) -> Set<Redacted<String>> { challenges?.refused[key] ?? [] }

    /// Whether tokens of this source were obtained during this conversation, and refused.
    func hasTried(_ source: OAuth2Tokens.Source, _ key: OAuth2TokenKey) -> Bool {
        challenges?.renewed[key]?.contains(source) == true
    }

    /// Whether tokens of a login that a server demanded were obtained during this conversation, and refused.
    func hasSteppedUp(_ key: OAuth2TokenKey) -> Bool { challenges?.steppedUp.contains(key) == true }

    /// Records that the last exchange was challenged for this key.
    ///
    /// - Parameter now: the date. Tokens with a later date were received while a clock was wrong, so their age is
    ///   unknown
    mutating func noteChallenge(_ key: OAuth2TokenKey, at now: Date) {
        guard let sent, sent.key == key else { return }
        var challenges = challenges ?? Challenges()
        challenges.refused[key, default: []].insert(sent.tokens.accessToken)
        if let begin, sent.tokens.receivedAt >= begin, sent.tokens.receivedAt <= now {
            challenges.renewed[key, default: []].insert(sent.tokens.source)
            if sent.tokens.demand != nil { challenges.steppedUp.insert(key) }
        }
        self.challenges = challenges
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
    let progress = Mutex(OAuth2Progress())
}
