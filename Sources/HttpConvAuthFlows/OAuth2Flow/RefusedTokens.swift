import Crypto
import HttpConvConcurrency
import HttpConvFormats
import HttpConvPlatform
import HttpConversation
import Synchronization

/// Remembers for ten minutes which new tokens a server refused. The server would refuse the tokens of another login,
/// too, and without this each request would lead to a login. Refusals are counted for each server, because another
/// server may accept the tokens.
///
/// Tokens that a client gets for itself ask no person and send no password. So a first refusal of them counts for 5
/// seconds, each further one for twice as long, and at most for ten minutes.
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
        /// How long it lasts.
        let rest: Duration
    }

    private struct State {
        var entries: [Place: Entry] = [:]
        /// The keys whose tokens a client gets for itself.
        var clientsOwn: Set<OAuth2TokenKey> = []
    }

    /// The number of places, and of keys, that are remembered.
    private static let capacity = 100
    private static let firstRest = Duration.seconds(5)
    private static var longestRest: Duration { PasswordAttempts<Origin>.refusalLifetime }
    private let clock: any WallClock
    private let state = Mutex(State())

    init(clock: any WallClock) { self.clock = clock }

    /// Records which grant the tokens under a key come from.
    func note(_ grant: OAuth2Grant, of key: OAuth2TokenKey) {
        state.withLock { state in
            guard grant.isClientAlone else { return _ = state.clientsOwn.remove(key) }
            if state.clientsOwn.count >= Self.capacity, !state.clientsOwn.contains(key) { state.clientsOwn = [] }
            state.clientsOwn.insert(key)
        }
    }

    /// Records that a server refused access tokens.
    func note(_ tokens: Set<Redacted<String>>, _ kind: Kind, _ key: OAuth2TokenKey, by server: Origin) {
        let now = clock.uptime
        let hashes = Set(tokens.map(Self.hash))
        state.withLock { state in
            // An entry is kept for some time after its end, because it makes the next refusal count longer.
            state.entries = state.entries.filter { now < $0.value.until + Self.longestRest }
            let place = Place(key: key, server: server, kind: kind)
            if state.entries[place] == nil, state.entries.count >= Self.capacity,
                let oldest = state.entries.min(by: { $0.value.until < $1.value.until })
            {
                state.entries[oldest.key] = nil
            }
            let isShort = state.clientsOwn.contains(key)
            let rest = isShort ? Self.rest(after: state.entries[place], at: now) : Self.longestRest
            state.entries[place] = Entry(tokens: hashes, until: now + rest, rest: rest)
        }
    }

    /// The time for which the next refusal counts. A refusal during the last one's time does not make that time longer.
    private static func rest(after last: Entry?, at now: Duration) -> Duration {
        guard let last else { return firstRest }
        return now < last.until ? last.rest : min(last.rest * 2, longestRest)
    }

    /// Whether a server has refused new tokens, and it or another server has refused these tokens. So two servers that
    /// refuse all tokens do not cause one login after the other. After a challenge, tokens of a later refresh count as
    /// refused, too.
    func contains(_ tokens: OAuth2Tokens, _ kind: Kind, _ key: OAuth2TokenKey, by server: Origin) -> Bool {
        let now = clock.uptime
        return state.withLock { state in
            let own = state.entries[Place(key: key, server: server, kind: kind)]
            guard let own, now < own.until else { return false }
            if kind != .bare, tokens.source == .refresh { return true }
            let hash = Self.hash(tokens.accessToken)
            return state.entries.contains { place, entry in
                place.key == key && place.kind == kind && now < entry.until && entry.tokens.contains(hash)
            }
        }
    }

    /// Forgets what was refused under a key.
    func forget(_ key: OAuth2TokenKey) {
        state.withLock { state in state.entries = state.entries.filter { $0.key.key != key } }
    }

    private static func hash(_ token: Redacted<String>) -> String {
        Base64URL.text(SHA256.hash(data: Array(token.value.utf8)))
    }
}

extension RefusedTokens: CustomStringConvertible, CustomReflectable {
    /// The number of places.
    var description: String { "RefusedTokens of \(state.withLock { $0.entries.count }) places" }
    var customMirror: Mirror { Mirror(self, children: ["places": description]) }
}
