package import HttpConvConcurrency
import HttpConvPlatform

/// Keeps tokens in a store of entries that several processes share, with leases that expire.
///
/// No lock is held while a process may be suspended: the lease is a date in the entry, and its fence refuses late
/// writes.
package struct RecordTokenStorage: OAuth2TokenStorage {
    private let store: any TokenRecordStore
    private let clock: any WallClock
    /// The maximum number of tries to change an entry. If other processes change it more often in a row, that is an
    /// error.
    private static let maximumTries = 1000

    package init(_ store: any TokenRecordStore, clock: any WallClock = SystemClock()) {
        self.store = store
        self.clock = clock
    }

    package func tokens(for key: OAuth2TokenKey) async throws -> OAuth2Tokens? {
        try await store.read(key.text).map { try Self.record($0, key) }?.tokens
    }

    package func save(_ tokens: OAuth2Tokens?, for key: OAuth2TokenKey, under lease: OAuth2Lease?) async throws {
        try await change(key) { record in
            if let lease, record.lease?.fence != lease.fence { throw Self.lost(key) }
            let endsLease = tokens == nil && lease == nil && record.lease != nil
            guard record.tokens != tokens || endsLease else { return false }
            record.tokens = tokens
            if endsLease { record.lease = nil }
            return true
        }
    }

    package func removeAllTokens() async throws { try await store.removeAll() }

    package func withLease<Outcome: Sendable>(
        for key: OAuth2TokenKey, duration: Duration, until look: @Sendable () async throws -> Outcome?,
        _ work: @Sendable (OAuth2Lease?) async throws -> Outcome
    ) async throws -> Outcome {
        try await LeasedWork.run(waitingFor: "for another process that gets tokens of \(key)") {
            try await requestLease(for: key, duration: duration)
        } wait: {
            if let outcome = try await look() { return outcome }
            // Each look costs a call of another process.
            try await clock.sleep(for: .milliseconds(100))
            return try await look()
        } extend: { lease in
            try await clock.sleep(for: duration / 3)
            try await extend(lease, by: duration)
        } release: { lease in
            // If that fails, the lease expires.
            try? await release(lease)
        } _: {
            try await work($0)
        }
    }

    /// Requests a lease without waiting; nil if it is held.
    package func requestLease(for key: OAuth2TokenKey, duration: Duration) async throws -> OAuth2Lease? {
        let first = UInt64.random(in: 1...(1 << 62))
        var granted: UInt64?
        try await change(key) { record in
            granted = record.request(duration.seconds, at: clock.date, first: first)
            return granted != nil
        }
        return granted.map { OAuth2Lease(key: key, fence: $0) }
    }

    /// Extends a lease to a duration from now.
    package func extend(_ lease: OAuth2Lease, by duration: Duration) async throws {
        try await change(lease.key) { record in
            guard record.extend(lease.fence, by: duration.seconds, at: clock.date) else { throw Self.lost(lease.key) }
            return true
        }
    }

    /// Releases a lease; does nothing if it was lost meanwhile.
    package func release(_ lease: OAuth2Lease) async throws {
        try await change(lease.key) { $0.release(lease.fence) }
    }

    /// Changes an entry, again if another process was faster.
    ///
    /// - Parameter change: returns whether there is anything to write
    private func change(_ key: OAuth2TokenKey, _ change: (inout TokenRecord) throws -> Bool) async throws {
        for _ in 0..<Self.maximumTries {
            let old = try await store.read(key.text)
            var record = try old.map { try Self.record($0, key) } ?? TokenRecord()
            guard try change(&record) else { return }
            let new = StoredTokenRecord(data: try JSONEncoder().encode(record), version: UUID().uuidString)
            if try await store.replace(key.text, old, with: new) { return }
        }
        throw OAuth2Error(
            .storageFailed, "Other processes change the entry for \(key) all the time, so it could not be written.")
    }

    private static func record(_ stored: StoredTokenRecord, _ key: OAuth2TokenKey) throws -> TokenRecord {
        let decoder = JSONDecoder()
        do {
            // An older version of this library wrote tokens alone.
            guard stored.version == nil else { return try decoder.decode(TokenRecord.self, from: stored.data) }
            return TokenRecord(tokens: try decoder.decode(OAuth2Tokens.self, from: stored.data))
        } catch {
            // The decoder's own error may quote the entry.
            throw OAuth2Error(.storageFailed, "The entry for \(key) holds no tokens that can be read.")
        }
    }

    private static func lost(_ key: OAuth2TokenKey) -> OAuth2Error {
        OAuth2Error(
            .leaseLost,
            "The lease on the tokens of \(key) has ended: another process renewed or removed them meanwhile.")
    }
}

extension Duration {
    fileprivate var seconds: Double { self / .seconds(1) }
}
