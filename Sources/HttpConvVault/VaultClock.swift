public import Foundation

/// The clocks of a ``DataVault`` or a ``PasscodeVault``.
///
/// Leases and passcodes expire by the date, which processes share. A date that jumps can end a lease early or late;
/// ``DataVaultLease/token`` still prevents writes by two holders. The timeout of a passcode vault uses a clock that
/// cannot be set and that goes on while the machine is suspended, if the platform has one.
public struct VaultClock: Sendable {
    let now: @Sendable () -> Duration
    package let date: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// The system's clocks: `CLOCK_BOOTTIME` on Linux, `mach_continuous_time` on Apple's systems.
    public static let system = VaultClock()

    /// Creates clocks of your own.
    ///
    /// - Parameters:
    ///   - now: the time since some fixed moment; never goes back
    ///   - date: the date, which may jump
    ///   - sleep: suspends for a time; throws `CancellationError` when the task is cancelled
    public init(
        now: (@Sendable () -> Duration)? = nil, date: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) {
        let start = ContinuousClock.now
        self.now = now ?? { start.duration(to: .now) }
        self.date = date
        self.sleep = sleep
    }

    /// Milliseconds since 1970, clamped to the range that can be stored.
    var milliseconds: Int64 { Self.milliseconds(date()) }

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
