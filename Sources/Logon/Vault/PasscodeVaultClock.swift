public import Foundation

/// The clocks of a passcode vault.
///
/// The timeout uses a clock that cannot be set and that goes on while the machine is suspended, if the platform has
/// one. Passcodes expire by the date.
public struct PasscodeVaultClock: Sendable {
    let now: @Sendable () -> Duration
    let date: @Sendable () -> Date
    let sleep: @Sendable (Duration) async throws -> Void

    /// The system's clocks: `CLOCK_BOOTTIME` on Linux, `mach_continuous_time` on Apple's systems.
    public static let system = {
        let clock = ContinuousClock()
        let start = clock.now
        return PasscodeVaultClock(
            now: { start.duration(to: clock.now) }, date: { Date() }, sleep: { try await clock.sleep(for: $0) })
    }()

    /// Creates clocks of your own.
    ///
    /// - Parameters:
    ///   - now: the time since some fixed moment; never goes back
    ///   - date: the date, which may jump
    ///   - sleep: suspends for a time; throws `CancellationError` when the task is cancelled
    public init(
        now: @escaping @Sendable () -> Duration, date: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.now = now
        self.date = date
        self.sleep = sleep
    }
}
