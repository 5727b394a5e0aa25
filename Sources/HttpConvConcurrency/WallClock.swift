package import HttpConvPlatform

/// The date, the time since a fixed moment, and waits; tests replace it.
///
/// The date is what processes, servers and certificates share, but it may jump. Time limits of one process use
/// ``uptime``.
package protocol WallClock: Sendable {
    /// The current date.
    var date: Date { get }
    /// The time since a fixed moment. It never goes back, and goes on while the machine is suspended, if the platform
    /// has such a clock.
    var uptime: Duration { get }
    /// Waits.
    ///
    /// - Throws: `CancellationError` if the task is cancelled
    func sleep(for duration: Duration) async throws
}

/// The system's clocks: for the uptime `CLOCK_BOOTTIME` on Linux, `mach_continuous_time` on Apple's systems.
package struct SystemClock: WallClock {
    private static let start = ContinuousClock.now

    package init() {}

    package var date: Date { Date() }
    package var uptime: Duration { Self.start.duration(to: .now) }
    package func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }
}

extension Date {
    package static func + (date: Date, duration: Duration) -> Date {
        date.addingTimeInterval(duration / .seconds(1))
    }

    package static func - (date: Date, duration: Duration) -> Date { date + (.zero - duration) }
}
