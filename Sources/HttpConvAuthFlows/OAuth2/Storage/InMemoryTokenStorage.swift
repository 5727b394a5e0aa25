package import HttpConvConcurrency
import Synchronization

/// Keeps tokens while the process runs. The default.
///
/// Configurators may share one; its leases keep their refreshes apart.
public final class InMemoryTokenStorage: QuickTokenStorage {
    private struct LeaseRecord {
        var fence: UInt64 = 0
        /// The uptime at which the lease ends; nil: the lease is free.
        var until: Duration?

        /// Ends the present lease.
        mutating func end() {
            fence += 1
            until = nil
        }
    }

    private struct State {
        var tokens = TokensByKey()
        var leases: [OAuth2TokenKey: LeaseRecord] = [:]
    }

    private let state = Mutex(State())
    private let clock: any WallClock

    /// An empty storage.
    public convenience init() { self.init(clock: SystemClock()) }

    /// An empty storage with another clock for leases; for tests.
    package init(clock: any WallClock) { self.clock = clock }

    public func tokens(for key: OAuth2TokenKey) async -> OAuth2Tokens? { tokensInMemory(for: key) }

    package func tokensInMemory(for key: OAuth2TokenKey) -> OAuth2Tokens? { state.withLock { $0.tokens.find(key) } }

    public func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try state.withLock { state in
            if let lease { try Self.check(lease, in: state) }
            state.tokens.put(tokens, under: key)
            if tokens == nil, lease == nil { state.leases[key]?.end() }
        }
    }

    public func removeAllTokens() async {
        state.withLock { state in
            state.tokens.removeAll()
            for key in state.leases.keys { state.leases[key]?.end() }
        }
    }

    public func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        try await LeasedWork.run(waitingFor: "for another login that gets tokens of \(key)") {
            requestLease(for: key, duration: duration)
        } wait: {
            if let outcome = try await look() { return outcome }
            // Retry soon: in one process the holder finishes quickly, or is gone.
            try await Task.sleep(for: .milliseconds(20))
            return try await look()
        } extend: { lease in
            try await Task.sleep(for: duration / 3)
            try self.extend(lease, by: duration)
        } release: { lease in
            self.release(lease)
        } _: {
            try await work($0)
        }
    }

    /// Requests a lease without waiting; nil if it is held.
    package func requestLease(for key: OAuth2TokenKey, duration: Duration) -> OAuth2Lease? {
        let now = clock.uptime
        return state.withLock { state in
            var record = state.leases[key] ?? LeaseRecord()
            if let until = record.until, until > now { return nil }
            record.fence += 1
            record.until = now + duration
            state.leases[key] = record
            return OAuth2Lease(key: key, fence: record.fence)
        }
    }

    /// Extends a lease to a duration from now.
    package func extend(_ lease: OAuth2Lease, by duration: Duration) throws {
        let until = clock.uptime + duration
        try state.withLock { state in
            try Self.check(lease, in: state)
            guard state.leases[lease.key]?.until != nil else {
                throw OAuth2Error(.leaseLost, "The lease on the tokens of \(lease.key) was released.")
            }
            state.leases[lease.key]?.until = until
        }
    }

    /// Releases a lease; does nothing if it was lost meanwhile.
    package func release(_ lease: OAuth2Lease) {
        state.withLock { state in
            if state.leases[lease.key]?.fence == lease.fence { state.leases[lease.key]?.until = nil }
        }
    }

    private static func check(_ lease: OAuth2Lease, in state: State) throws {
        guard state.leases[lease.key]?.fence == lease.fence else {
            throw OAuth2Error(
                .leaseLost,
                "The lease on the tokens of \(lease.key) has ended: somebody else renewed or removed them meanwhile.")
        }
    }
}

extension InMemoryTokenStorage: CustomStringConvertible, CustomReflectable {
    /// The number of entries.
    public var description: String { "InMemoryTokenStorage with \(state.withLock { $0.tokens.count }) entries" }
    public var customMirror: Mirror { Mirror(self, children: ["storage": description]) }
}
