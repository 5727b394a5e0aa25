import Synchronization

/// The issued Digest nonces.
final class NonceStore: Sendable {
    /// The validity of a nonce for one request.
    enum Verdict {
        case good
        case expired
        case replayed
    }

    private struct Nonce {
        let realm: String
        let issued: Duration
        let usesAllowed: Int?
        var uses = 0
        /// All counts up to this one have been seen. Higher ones are in `seen`.
        var seenUpTo: UInt32 = 0
        var seen: Set<UInt32> = []

        /// Notes a count. Returns false if it has been seen before.
        mutating func see(_ count: UInt32) -> Bool {
            guard count > seenUpTo, seen.insert(count).inserted else { return false }
            while seen.remove(seenUpTo + 1) != nil { seenUpTo += 1 }
            return true
        }
    }

    private struct State {
        var rule: NonceRule
        var nonces: [String: Nonce] = [:]
        var order: [String] = []
    }

    /// The maximum number of nonces. Older ones are forgotten and count as expired.
    private static let capacity = 50_000
    private let clock: LandscapeClock
    private let state: Mutex<State>

    init(clock: LandscapeClock, rule: NonceRule) {
        self.clock = clock
        state = Mutex(State(rule: rule))
    }

    var rule: NonceRule {
        get { state.withLock { $0.rule } }
        set { state.withLock { $0.rule = newValue } }
    }

    /// A new nonce for the realm, valid for `uses` requests; nil: as the rule says.
    func issue(realm: String, uses: Int? = nil) -> String {
        let value = RandomToken.make()
        let now = clock.now
        state.withLock { state in
            state.nonces[value] = Nonce(realm: realm, issued: now, usesAllowed: uses ?? state.rule.uses)
            state.order.append(value)
            guard state.order.count > 2 * Self.capacity else { return }
            for old in state.order.prefix(Self.capacity) { state.nonces[old] = nil }
            state.order.removeFirst(Self.capacity)
        }
        return value
    }

    /// Uses the nonce for a request with that nonce count (nil: RFC 2069, which has none).
    func use(_ value: String, realm: String, count: UInt32?) -> Verdict {
        let now = clock.now
        return state.withLock { state in
            guard var nonce = state.nonces[value], nonce.realm == realm else { return .expired }
            if let count, !nonce.see(count) { return .replayed }
            nonce.uses += 1
            state.nonces[value] = nonce
            if now - nonce.issued > state.rule.lifetime { return .expired }
            if let allowed = nonce.usesAllowed, nonce.uses > allowed { return .expired }
            return .good
        }
    }

    /// Makes every nonce issued so far stale.
    func expireAll() {
        state.withLock { state in
            state.nonces = [:]
            state.order = []
        }
    }
}

extension SharedState {
    var nonces: NonceStore { service(DigestEndpoints.self).nonces }
}
