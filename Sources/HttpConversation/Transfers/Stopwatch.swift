import HttpConvConcurrency

/// Time since its creation, on any clock.
package struct Stopwatch: Sendable {
    /// The time by a clock other than the system's.
    private let other: (@Sendable () -> Duration)?
    /// The system's uptime at the start.
    private let start: Duration

    package init(any clock: any Clock<Duration> & Sendable) {
        // Nearly all stopwatches have this clock, which its protocol would make several times as slow to read.
        let isContinuous = type(of: clock) == ContinuousClock.self
        other = isContinuous ? nil : Self.reader(clock)
        start = isContinuous ? SystemClock().uptime : .zero
    }

    private static func reader(_ clock: some Clock<Duration> & Sendable) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }

    package var elapsed: Duration { other?() ?? SystemClock().uptime - start }
}
