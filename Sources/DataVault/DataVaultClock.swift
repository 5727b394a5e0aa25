public import Foundation

/// The clock for leases: wall-clock time, since processes share it.
///
/// A clock that jumps can end a lease early or late. ``DataVaultLease/token`` still prevents writes by two holders.
public struct DataVaultClock: Sendable {
    let now: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// The system's clock.
    public static let system = DataVaultClock(now: { Date() }, sleep: { try await Task.sleep(for: $0) })

    /// Creates a clock of your own.
    ///
    /// - Parameters:
    ///   - now: returns the present time
    ///   - sleep: suspends for a time; throws `CancellationError` when the task is cancelled.
    public init(now: @escaping @Sendable () -> Date, sleep: @escaping @Sendable (Duration) async throws -> Void) {
        self.now = now
        self.sleep = sleep
    }

    /// Milliseconds since 1970, clamped to the range that can be stored.
    var milliseconds: Int64 { Self.milliseconds(now()) }

    /// Sleeps and returns the time slept; throws `.cancelled`.
    func pause(_ time: Duration) async throws(DataVaultError) -> Duration {
        do {
            try await sleep(time)
        } catch {
            throw DataVaultError(.cancelled, "The task was cancelled; nothing was changed.")
        }
        return time
    }

    static func milliseconds(_ date: Date) -> Int64 {
        let value = (date.timeIntervalSince1970 * 1000).rounded()
        return value.isFinite ? Int64(max(-1e15, min(1e15, value))) : 0
    }
}
