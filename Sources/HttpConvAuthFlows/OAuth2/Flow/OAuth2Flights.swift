import Synchronization
import UserInteractionMultiplexing

/// One refresh or grant at a time for each storage key; everybody who needs it meanwhile gets its outcome.
///
/// A failure is also that of those whose exchange was on the wire when it landed: they do not try once more.
final class OAuth2Flights: Sendable {
    private struct Failure {
        let epoch: UInt64
        let error: any Error
    }

    private let flights = SingleFlight<OAuth2TokenKey, Renewal>()
    private let epoch = Atomic<UInt64>(0)
    private let failures = Mutex<[OAuth2TokenKey: Failure]>([:])
    private let running = Atomic<Int>(0)

    /// The stamp for an exchange that is sent now.
    var stamp: UInt64 { epoch.load(ordering: .acquiring) }

    /// Joins the renewal of a key, or starts it.
    func join(
        _ key: OAuth2TokenKey, sentUnder stamp: UInt64, _ operation: @escaping @Sendable () async throws -> Renewal
    ) async throws -> Renewal {
        if let error = failure(key, after: stamp) { throw error }
        running.add(1, ordering: .acquiringAndReleasing)
        defer { running.subtract(1, ordering: .acquiringAndReleasing) }
        return try await flights.join(key) { result in
            self.landed(result, key)
        } operation: {
            // It may have failed between the look above and boarding.
            if let error = self.failure(key, after: stamp) { throw error }
            return try await operation()
        }
    }

    /// Whether tokens for the key are being got right now. Costs one load where nothing is.
    func isFlying(_ key: OAuth2TokenKey) -> Bool {
        running.load(ordering: .acquiring) > 0 && flights.waiterCount(key) > 0
    }

    /// Returns once `count` wait for the key; for tests.
    func waitForWaiters(_ count: Int, of key: OAuth2TokenKey) async { await flights.waitForWaiters(count, of: key) }

    private func failure(_ key: OAuth2TokenKey, after stamp: UInt64) -> (any Error)? {
        failures.withLock { $0[key].flatMap { $0.epoch > stamp ? $0.error : nil } }
    }

    private func landed(_ result: Result<Renewal, any Error>, _ key: OAuth2TokenKey) {
        let epoch = epoch.wrappingAdd(1, ordering: .acquiringAndReleasing).newValue
        failures.withLock { failures in
            switch result {
            case .success: failures[key] = nil
            // Nobody waited to the end: that is no answer to anybody.
            case .failure(let error) where error is CancellationError: break
            case .failure(let error): failures[key] = Failure(epoch: epoch, error: error)
            }
        }
    }
}

/// What came of a renewal.
enum Renewal: Sendable {
    /// There are tokens that had not been refused: somebody else's, or new ones.
    case tokens(OAuth2Tokens)
    /// Only a login would help, which was not asked for.
    case needsGrant
}
