public import Foundation

/// The times that a passcode vault goes by.
///
/// It is locked by a clock that nobody sets and that goes on while the machine is suspended, where the platform has one;
/// passcodes expire by the date.
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

    /// Clocks of one's own.
    ///
    /// - Parameters:
    ///   - now: the time since any moment that stays the same; never goes back
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
