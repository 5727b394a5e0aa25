import Synchronization
import UserInteractionMultiplexing

/// The flights of one session: questions that parallel conversations ask once (design.md §3.8).
///
/// Present are not only those who wait when an answer comes, but also those whose challenged exchange was on the wire
/// then: they ask with the stamp their exchange was sent under, and get the answer that came after it.
package final class FlightBoard: Sendable {
    /// What makes two questions the same.
    package struct Key: Hashable, Sendable {
        /// The flow that asks.
        package let flow: String
        /// Who is to be convinced.
        package let space: ProtectionSpace
        /// How many answers were refused before.
        package let round: Int

        package init(flow: String, space: ProtectionSpace, round: Int) {
            self.flow = flow
            self.space = space
            self.round = round
        }
    }

    private struct Landed {
        let epoch: UInt64
        let result: Result<any Sendable, any Error>
    }

    private let epoch: SessionEpoch
    private let flights = SingleFlight<Key, any Sendable>()
    private let landed = Mutex<[Key: Landed]>([:])
    private static let maximumLanded = 256

    init(epoch: SessionEpoch) { self.epoch = epoch }

    /// Asks, or shares the question that is being asked, or was answered after `stamp`.
    package func join<Value: Sendable>(
        _ key: Key, sentUnder stamp: UInt64, _ operation: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        if let known = result(key, after: stamp) { return try known.get() as? Value ?? Self.mismatch() }
        let value = try await flights.join(key) { result in
            self.keep(result, for: key)
        } operation: {
            // Between the look above and boarding, the flight may have landed: that is its outcome, too.
            if let known = self.result(key, after: stamp) { return try known.get() }
            return try await operation()
        }
        return try value as? Value ?? Self.mismatch()
    }

    /// Whether the question is being asked, or was answered after `stamp`.
    package func knows(_ key: Key, after stamp: UInt64) -> Bool {
        result(key, after: stamp) != nil || flights.waiterCount(key) > 0
    }

    /// The questions that are being asked now.
    package func running(where matches: (Key) -> Bool) -> [Key] { flights.keys.filter(matches) }

    /// Whether anything is being asked: requests look here before they look for a question of their own.
    package var isIdle: Bool { flights.isIdle }

    /// Shares the question that is being asked now; nil where there is none. Nothing is asked.
    package func joinIfRunning<Value: Sendable>(_ key: Key, as _: Value.Type) async throws -> Value? {
        guard let value = try await flights.joinIfFlying(key) else { return nil }
        return try value as? Value ?? Self.mismatch()
    }

    private static func mismatch<Value>() throws -> Value {
        throw ConversationError(.internalInconsistency, "Two flows ask different questions under one key.")
    }

    private func result(_ key: Key, after stamp: UInt64) -> Result<any Sendable, any Error>? {
        landed.withLock { $0[key].flatMap { $0.epoch > stamp ? $0.result : nil } }
    }

    private func keep(_ result: Result<any Sendable, any Error>, for key: Key) {
        // Nobody waited to the end: that is no answer to anybody.
        if case .failure(let error) = result, error is CancellationError { return }
        let outcome = Landed(epoch: epoch.advance(), result: result)
        landed.withLock { landed in
            if landed.count >= Self.maximumLanded, let oldest = landed.min(by: { $0.value.epoch < $1.value.epoch })?.key
            {
                landed[oldest] = nil
            }
            landed[key] = outcome
        }
    }

    /// Returns once `count` conversations wait for the question; for tests.
    package func waitForWaiters(_ count: Int, of key: Key) async { await flights.waitForWaiters(count, of: key) }

    func forgetResults() { landed.withLock { $0.removeAll() } }
}
