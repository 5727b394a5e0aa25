import Crypto
import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// Remembers for ten minutes which new tokens a server refused. New ones would be refused, too, and without this each
/// request would lead to a login. A server counts for itself: another one with the same tokens may accept new ones.
final class RefusedTokens: Sendable {
    /// The kind of a refusal.
    enum Kind: Sendable {
        /// A Bearer or DPoP challenge that another login would not change.
        case challenged
        /// The demand of another kind of login (RFC 9470), right after such a login.
        case demanded
        /// A 401 without a Bearer or DPoP challenge: new tokens without a person do not help, or cannot be had.
        case bare
    }

    private struct Place: Hashable {
        let key: OAuth2TokenKey
        /// The server that refused them.
        let server: Origin
        let kind: Kind
    }

    private struct Entry {
        /// The hashes of the access tokens.
        var tokens: Set<String>
        /// The uptime at which it ends.
        let until: Duration
    }

    /// The number of places that are remembered.
    private static let capacity = 100
    private let clock: any WallClock
    private let entries = Mutex<[Place: Entry]>([:])

    init(clock: any WallClock) { self.clock = clock }

    /// Records that a server refused access tokens.
    func note(_ tokens: Set<Redacted<String>>, _ kind: Kind, _ key: OAuth2TokenKey, by server: Origin) {
        let now = clock.uptime
        let entry = Entry(tokens: Set(tokens.map(Self.hash)), until: now + PasswordAttempts<Origin>.refusalLifetime)
        entries.withLock { entries in
            entries = entries.filter { $0.value.until > now }
            let place = Place(key: key, server: server, kind: kind)
            if entries[place] == nil, entries.count >= Self.capacity,
                let oldest = entries.min(by: { $0.value.until < $1.value.until })
            {
                entries[oldest.key] = nil
            }
            entries[place] = entry
        }
    }

    /// Whether a server has refused new tokens, and these were refused by it or another server: two servers that refuse
    /// all tokens do not lead to one login after the other. After a challenge that includes those that a refresh has
    /// made of them meanwhile.
    func contains(_ tokens: OAuth2Tokens, _ kind: Kind, _ key: OAuth2TokenKey, by server: Origin) -> Bool {
        let now = clock.uptime
        return entries.withLock { entries in
            guard let own = entries[Place(key: key, server: server, kind: kind)], now < own.until else { return false }
            if kind != .bare, tokens.source == .refresh { return true }
            let hash = Self.hash(tokens.accessToken)
            return entries.contains { place, entry in
                place.key == key && place.kind == kind && now < entry.until && entry.tokens.contains(hash)
            }
        }
    }

    /// Forgets what was refused under a key.
    func forget(_ key: OAuth2TokenKey) {
        entries.withLock { entries in entries = entries.filter { $0.key.key != key } }
    }

    private static func hash(_ token: Redacted<String>) -> String {
        Base64URL.text(SHA256.hash(data: Array(token.value.utf8)))
    }
}

extension RefusedTokens: CustomStringConvertible, CustomReflectable {
    /// The number of places.
    var description: String { "RefusedTokens of \(entries.withLock { $0.count }) places" }
    var customMirror: Mirror { Mirror(self, children: ["places": description]) }
}
