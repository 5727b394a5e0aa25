import HttpConvConcurrency
import NIOCore

/// Measures for how long the machine was suspended, which `NIODeadline` does not count.
struct SuspendedTime {
    private let clock: any WallClock
    private var last: (uptime: Duration, now: NIODeadline)

    /// Starts to measure.
    init(_ clock: any WallClock) {
        self.clock = clock
        last = (clock.uptime, .now())
    }

    /// The time since the last call, or the start, for which the machine was suspended.
    mutating func sinceLastCall(at now: NIODeadline) -> TimeAmount {
        let uptime = clock.uptime
        defer { last = (uptime, now) }
        return max(.zero, TimeAmount(uptime - last.uptime) - (now - last.now))
    }
}
