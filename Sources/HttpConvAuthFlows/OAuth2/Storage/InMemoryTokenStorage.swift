import Synchronization

/// Keeps tokens while the process runs. The default.
///
/// Configurators may share one; its leases keep their refreshes apart.
public final class InMemoryTokenStorage: OAuth2TokenStorage {
    private struct Holder {
        var fence: UInt64 = 0
        /// The lease's expiry; nil: the lease is free.
        var until: ContinuousClock.Instant?
    }

    private struct State {
        var tokens: [OAuth2TokenKey: OAuth2Tokens] = [:]
        var holders: [OAuth2TokenKey: Holder] = [:]
    }

    private let state = Mutex(State())
    private let now: @Sendable () -> ContinuousClock.Instant

    /// An empty storage.
    public convenience init() { self.init(now: { ContinuousClock.now }) }

    /// An empty storage with another clock for leases; for tests.
    package init(now: @escaping @Sendable () -> ContinuousClock.Instant) { self.now = now }

    public func tokens(for key: OAuth2TokenKey) async -> OAuth2Tokens? { state.withLock { $0.tokens[key] } }

    public func save(_ tokens: OAuth2Tokens, for key: OAuth2TokenKey) async {
        state.withLock { $0.tokens[key] = tokens }
    }

    public func removeTokens(for key: OAuth2TokenKey) async { state.withLock { $0.tokens[key] = nil } }

    public func removeAllTokens() async { state.withLock { $0.tokens.removeAll() } }

    public func acquireLease(for key: OAuth2TokenKey, duration: Duration) async -> OAuth2LeaseAnswer {
        let now = now()
        return state.withLock { state in
            var holder = state.holders[key] ?? Holder()
            // Retry soon: in one process the holder finishes quickly, or is gone.
            if let until = holder.until, until > now { return .busy(min(now.duration(to: until), .milliseconds(20))) }
            holder.fence += 1
            holder.until = now + duration
            state.holders[key] = holder
            return .granted(OAuth2Lease(key: key, fence: holder.fence, duration: duration))
        }
    }

    public func extendLease(_ lease: OAuth2Lease) async throws {
        let until = now() + lease.duration
        try state.withLock { state in
            try Self.check(lease, in: state)
            guard state.holders[lease.key]?.until != nil else {
                throw OAuth2Error(.leaseLost, "The lease on the tokens of \(lease.key) was given back.")
            }
            state.holders[lease.key]?.until = until
        }
    }

    public func releaseLease(_ lease: OAuth2Lease) async {
        state.withLock { state in
            if state.holders[lease.key]?.fence == lease.fence { state.holders[lease.key]?.until = nil }
        }
    }

    public func save(_ tokens: OAuth2Tokens, under lease: OAuth2Lease) async throws {
        try state.withLock { state in
            try Self.check(lease, in: state)
            state.tokens[lease.key] = tokens
        }
    }

    public func removeTokens(under lease: OAuth2Lease) async throws {
        try state.withLock { state in
            try Self.check(lease, in: state)
            state.tokens[lease.key] = nil
        }
    }

    private static func check(_ lease: OAuth2Lease, in state: State) throws {
        guard state.holders[lease.key]?.fence == lease.fence else {
            throw OAuth2Error(
                .leaseLost, "The lease on the tokens of \(lease.key) ran out and somebody else renewed them meanwhile.")
        }
    }
}

extension InMemoryTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The number of entries.
    public var description: String { "InMemoryTokenStorage with \(state.withLock { $0.tokens.count }) entries" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}
